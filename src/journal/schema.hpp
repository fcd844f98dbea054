// The tables and views of a journal as SQL. A file has exactly these, so their text tells whether
// it is a journal of these settings. The comments stand in the file itself, for whoever opens it
// with another tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

constexpr std::int64_t kApplicationId = 0x7061'636f;  // "paco"
// 2: the table `extras`. A journal of version 1 is read as it is, and becomes one of version 2 when
// it is opened for writing.
constexpr std::int64_t kVersion = 2;
// Small pages make a single durable sample cheap, large ones make fewer writes of a group; measured
// in bench/journal.
constexpr int kPageBytes = 8192;

// What makes every table, index and view of a version, in order.
std::vector<std::string> schema_of(const JournalSettings& settings,
                                   std::int64_t version = kVersion);
// From version 1 to this one.
std::vector<std::string> upgrade_of_1();

// A name or a text inside SQL.
std::string quote_name(std::string_view name);
std::string quote_text(std::string_view text);

// Refuses settings that no table can be made of: names that are empty, twice or taken, a choice
// without words, no verdict, no dimension.
Result<void> check_settings(const std::string& path, const JournalSettings& settings);

}  // namespace paco::journal
