// Writes events into the file, each call in one transaction, and extends the chain of checksums.
// The only place that writes events. After an error the journal is as before the call, and the next
// call may succeed.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "journal/acknowledged.hpp"
#include "journal/checksum.hpp"
#include "journal/database.hpp"
#include "journal/rows.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

class Writer {
 public:
  // `database` is open for writing and holds the write lock; `tail` is where its events end, all of
  // them checked. With `sync` a call returns when its events are on the disk; without, sync()
  // brings them there.
  static Result<std::unique_ptr<Writer>> create(Database database, const JournalHeader& header,
                                                CheckedTail tail, bool sync);

  // `time`: when the samples came, in seconds since 1970; the journal keeps one a second at most.
  Result<void> append(std::span<const SampleRow> samples, std::span<const CategoryRow> changed,
                      const SourceRow* source = nullptr,
                      std::optional<std::int64_t> time = std::nullopt);
  Result<void> append(const OperationRow& operation, std::span<const CategoryRow> changed,
                      std::span<const Membership> moved);
  Result<void> save_snapshot(const SnapshotInfo& info, std::span<const std::byte> bytes);
  // Removes all snapshots but the newest `keep`.
  Result<void> prune_snapshots(std::uint64_t keep);
  // Brings everything that was written to the disk.
  Result<void> sync();
  // Keeps exactly as much as `retention` says and returns the free space to the file system.
  Result<void> compact(const Retention& retention);
  // Moves the write-ahead log into the file, as far as readers permit, and notes there that the
  // file is whole.
  Result<void> checkpoint();
  // The same without waiting for anybody; the log keeps its length and starts anew with the next
  // event. Returns whether the file is whole.
  bool settle();
  // Moves what can be moved without waiting for anybody. Returns the pages of a log that could not
  // be moved as a whole.
  int move_log();
  // Pages in the log since it last started anew; 0 also if all are in the file.
  int log_pages() const { return log_pages_; }
  // Events are refused if the log cannot start anew beyond this length.
  void set_most_log_bytes(std::uint64_t bytes) { most_log_bytes_ = bytes; }

  // Events are noted in this record from now on when they are on the disk.
  void set_record(AcknowledgedFile record) { record_ = std::move(record); }
  AcknowledgedFile take_record() { return std::move(record_); }

  const JournalTail& tail() const { return at_.tail; }
  // The file says that it may lack events of its log.
  bool needs_log() const { return needs_log_; }
  Database& database() { return database_; }

 private:
  Writer(Database database, const JournalHeader& header, CheckedTail tail, bool sync);
  Result<void> prepare(const JournalSettings& settings);
  // Runs body(at) in a transaction; at_ changes when it is committed.
  template <class Body>
  Result<void> transaction(Body body);
  // The same for events, which are acknowledged afterwards.
  template <class Body>
  Result<void> append_events(Body body);
  Result<void> write_sample(const SampleRow& row, CheckedTail& at);
  Result<void> write_operation(const OperationRow& row, JournalTail& tail);
  Result<void> write_embeddings(std::span<const SampleRow> samples);
  Result<void> write_run(std::uint64_t first, std::span<const double> numbers);
  Result<void> write_categories(std::span<const CategoryRow> changed);
  Result<void> write_memberships(std::span<const Membership> moved);
  Result<void> write_extras(const SampleRow& row);
  Result<void> write_arrival(const Arrival& row);
  Result<void> sync_log();
  Result<void> note_needs_log(bool needs_log);
  void bring_note_to_file();
  Result<void> check_place();
  Result<void> check_log();
  static int note_log(void* writer, sqlite3* database, const char* name, int pages);
  Result<void> remove_snapshots(std::uint64_t keep);
  // The first sample whose embedding is to be kept: one of the last so many, or needed to open the
  // journal from its newest snapshot.
  Result<std::uint64_t> first_to_keep();
  Result<void> forget_embeddings();
  Result<void> cut_embeddings();

  Database database_;
  std::size_t dimension_, evidence_;
  Retention retention_;
  CheckedTail at_, checked_;  // checked_: the next opening begins to check there
  bool needs_log_;            // as the file and its log say together
  bool sync_;
  int log_pages_ = 0;
  // The file itself says that it needs its log; unless a reader kept it from that. Then it is tried
  // again when the log has so many pages.
  bool note_is_in_file_ = false;
  int note_pages_ = std::numeric_limits<int>::max(), note_again_at_ = 0;
  std::uint64_t most_log_bytes_ = std::numeric_limits<std::uint64_t>::max();
  AcknowledgedFile record_;
  Statement begin_, commit_, sample_, operation_, category_, prototype_, moved_, embeddings_,
      forget_, extras_, arrival_, source_, snapshot_, snapshot_part_, drop_parts_;
  std::optional<std::int64_t> arrived_;  // the second of the last row of arrivals
  FieldSum fields_;
  std::vector<double> numbers_;  // of the run of embeddings being written
  std::vector<std::byte> run_;
};

}  // namespace paco::journal
