// How a row of `samples` is asked for and read: shared by all who read samples.
#pragma once

#include <string>

#include "journal/database.hpp"
#include "journal/rows.hpp"

namespace paco::journal {

// "SELECT sequence, event, ... FROM samples ", to be completed.
std::string select_samples(const JournalSettings& settings);

// The same for operations.
extern const char* const kSelectOperations;

// Whether the values of a row are of the types and in the ranges that a writer gives them.
bool is_sample(const Statement& row, const JournalSettings& settings);
bool is_operation(const Statement& row);

// A row that a statement made so is at. `into` is used again.
void read_sample(const Statement& row, std::size_t columns, StoredSample& into);
OperationRow read_operation(const Statement& row);

// Columns that are not part of the structs.
inline std::optional<std::uint64_t> embedding_of_sample(const Statement& row) {
  return row.optional_at(9);
}
inline std::uint64_t chain_of_sample(const Statement& row) { return row.number_at(10); }
inline std::uint64_t chain_of_operation(const Statement& row) { return row.number_at(8); }

}  // namespace paco::journal
