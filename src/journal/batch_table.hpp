// The samples of a batch as a table that SQLite selects from, so that one statement inserts all of
// them: a statement for each costs twice as much, for most of it goes into starting and ending.
//
// The table lives in one connection and is not part of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "journal/batch.hpp"
#include "journal/database.hpp"

namespace paco::journal {

class BatchTable {
 public:
  static constexpr const char* kName = "paco_batch";

  struct Link {
    std::optional<std::uint64_t> embedding;  // its checksum
    std::uint64_t chain;
  };

  // Outlives the connection that knows it. `evidence` is the number of the method's columns.
  explicit BatchTable(std::size_t evidence) : evidence_(evidence) {}
  BatchTable(const BatchTable&) = delete;
  BatchTable& operator=(const BatchTable&) = delete;

  // Makes it known to a connection under kName.
  Result<void> attach(Database& database);

  // What it shows from now on: the columns of `samples` in their order. Both outlive the statement.
  void show(const Batch& batch, const std::vector<Link>& links);
  // The sample that was asked for last.
  std::size_t position() const { return position_; }

 private:
  struct Module;
  void value(sqlite3_context* context, int column) const;

  std::size_t evidence_;
  const Batch* batch_ = nullptr;
  const std::vector<Link>* links_ = nullptr;
  std::size_t position_ = 0;
};

}  // namespace paco::journal
