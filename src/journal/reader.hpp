// All questions to a journal, over a connection of its own. Sees what is committed, also by another
// process, from one question to the next. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/rows.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> create(Database database, Opened opened);

  const Opened& opened() const { return opened_; }
  Database& database() { return database_; }
  void set_retention(const Retention& retention) { opened_.settings.retention = retention; }

  // Counts from the tables as they are now.
  Result<JournalTail> tail();
  Result<std::optional<StoredSample>> sample(std::uint64_t sequence);
  Result<std::optional<StoredSample>> find_key(std::string_view key);
  Result<std::vector<StoredSample>> samples(std::uint64_t from, std::size_t count);
  Result<std::vector<OperationRow>> operations(std::uint64_t from_event, std::size_t count);
  Result<std::vector<StoredEvent>> events(std::uint64_t from_event, std::size_t count);
  Result<std::vector<CategoryRow>> categories();
  // Nothing but the sequence where a sample brought nothing.
  Result<Extras> extras(std::uint64_t sequence, bool with_picture);
  Result<std::optional<Membership>> membership(std::uint64_t sequence);
  Result<std::vector<Membership>> members(std::span<const std::int64_t> prototypes,
                                          std::uint64_t from);
  // Checksums of all embeddings in stream order, also of those no longer kept; 0 for none.
  Result<std::vector<std::uint64_t>> embedding_checksums();
  // Fills rows of `dimension` numbers; false where one is not kept.
  Result<bool> embeddings(std::uint64_t from, std::span<double> into);
  Result<std::vector<SnapshotInfo>> snapshots();
  Result<std::optional<Snapshot>> newest_snapshot(std::uint64_t at_most_event);
  Result<JournalInfo> info();

 private:
  Reader(Database database, Opened opened)
      : database_(std::move(database)), opened_(std::move(opened)) {}
  Result<void> prepare();
  Result<std::optional<StoredSample>> single(Statement& statement);

  Database database_;
  Opened opened_;
  Statement by_sequence_, by_key_, page_, operations_, run_, moved_, extras_, picture_;
};

}  // namespace paco::journal
