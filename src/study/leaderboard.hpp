// Merges records of runs, from one folder or many contributors, into one table per data set, with
// rows ordered by Strict accuracy. Runs that differ only in the seed are one row, with mean and
// deviation.
#pragma once

#include <string>
#include <vector>

#include "paco/result.hpp"
#include "report/table.hpp"

namespace paco::study {

struct Leaderboard {
  std::size_t records = 0;
  std::vector<report::Table> tables;
};

// All records (*.json) below a folder; other JSON files are passed over. A record that is damaged
// is an error that names it.
Result<Leaderboard> read_leaderboard(const std::string& folder);

// The tables as one page without a script.
std::string leaderboard_page(const Leaderboard& board);

}  // namespace paco::study
