// The tables and views of a journal as SQL. Every journal file has exactly these, so their text
// shows whether the file is a journal with these settings. The comments are stored in the file, as
// its documentation for other tools.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

constexpr std::int64_t kApplicationId = 0x7061'636f;  // "paco"
// The only version that is read.
constexpr std::int64_t kVersion = 5;
// Small pages make a single durable sample cheap; large pages reduce the number of writes for a
// group. Measured in bench/journal.
constexpr int kPageBytes = 8192;

// The statements that make every table, index and view, in order.
std::vector<std::string> schema_of(const JournalSettings& settings);

// A name or a text inside SQL.
std::string quote_name(std::string_view name);
std::string quote_text(std::string_view text);

// Fails for settings that cannot be stored as tables: names that are empty, duplicate or reserved,
// a choice without words, no verdict, no dimension.
Result<void> check_settings(const std::string& path, const JournalSettings& settings);

}  // namespace paco::journal
