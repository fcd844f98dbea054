// How rows of samples, operations and categories are selected, inserted and read.
#pragma once

#include <string>

#include "journal/checksum.hpp"
#include "journal/database.hpp"
#include "journal/rows.hpp"

namespace paco::journal {

// "SELECT sequence, event, ... FROM samples ", to be completed.
std::string select_samples(const JournalSettings& settings);
// "INSERT INTO samples VALUES(?1, ...)", with the same columns in the same order.
std::string insert_sample(const JournalSettings& settings);

// The same for operations and categories.
extern const char* const kSelectOperations;
extern const char* const kSelectCategories;
extern const char* const kSelectSources;

// Returns whether the values of a row have the types and ranges that a writer gives them.
bool is_sample(const Statement& row, const JournalSettings& settings);
bool is_operation(const Statement& row);
bool is_category(const Statement& row);

// Reads the current row of a statement made from the texts above. The memory of `into` is reused.
void read_sample(const Statement& row, std::size_t columns, io::DecidedSample& into);
OperationRow read_operation(const Statement& row);
CategoryRow read_category(const Statement& row);  // without its prototypes
// Nothing if the types or the checksum are wrong.
std::optional<SourceRow> read_source(const Statement& row, FieldSum& fields);

// Columns that are not fields of the structs.
inline std::optional<std::uint64_t> embedding_of_sample(const Statement& row) {
  return row.optional_at(9);
}
inline std::uint64_t chain_of_sample(const Statement& row) { return row.number_at(10); }
inline std::uint64_t chain_of_operation(const Statement& row) { return row.number_at(8); }
inline std::uint64_t checksum_of_category(const Statement& row) { return row.number_at(6); }

}  // namespace paco::journal
