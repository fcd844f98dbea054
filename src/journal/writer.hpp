// Writes events into the file, one transaction per call, and extends the chain of checksums. No
// other code writes events. After an error the journal is as before the call, and the next call may
// succeed.
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
  // `database` is open for writing and holds the write lock; `tail` is the end of its events, all
  // of them checked. With `sync`, a call returns when its events are on the disk; without it, call
  // sync() to write them to the disk.
  static Result<std::unique_ptr<Writer>> create(Database database, const JournalHeader& header,
                                                CheckedTail tail, bool sync);

  // `time`: when the samples came, in seconds since 1970; at most one time is stored per second.
  Result<void> append(std::span<const SampleRow> samples, std::span<const CategoryRow> changed,
                      const SourceRow* source = nullptr,
                      std::optional<std::int64_t> time = std::nullopt);
  Result<void> append(const OperationRow& operation, std::span<const CategoryRow> changed,
                      std::span<const Membership> moved);
  Result<void> save_snapshot(const SnapshotInfo& info, std::span<const std::byte> bytes);
  // Removes all snapshots but the newest `keep`.
  Result<void> prune_snapshots(std::uint64_t keep);
  // Flushes everything that was written to the disk.
  Result<void> sync();
  // Keeps exactly what `retention` specifies and returns the free space to the file system.
  Result<void> compact(const Retention& retention);
  // Moves the write-ahead log into the file as far as readers permit, and marks the file as
  // complete.
  Result<void> checkpoint();
  // The same without waiting for readers. The log keeps its length and starts over with the next
  // event. Returns whether the file is complete.
  bool settle();
  // Moves what can be moved without waiting. Returns the number of pages in a log that could not be
  // moved completely.
  int move_log();
  // Number of pages in the log since it last started over; 0 also if all of them are in the file.
  int log_pages() const { return log_pages_; }
  // Beyond this length, events are refused if the log cannot start over.
  void set_most_log_bytes(std::uint64_t bytes) { most_log_bytes_ = bytes; }

  // Events are recorded there from now on, once they are on the disk.
  void set_record(AcknowledgedFile record) { record_ = std::move(record); }
  AcknowledgedFile take_record() { return std::move(record_); }

  const JournalTail& tail() const { return at_.tail; }
  // Whether the file is marked as needing its log, which may have further events.
  bool needs_log() const { return needs_log_; }
  Database& database() { return database_; }

 private:
  Writer(Database database, const JournalHeader& header, CheckedTail tail, bool sync);
  Result<void> prepare(const JournalSettings& settings);
  // Runs body(at) in a transaction; at_ changes when it is committed.
  template <class Body>
  Result<void> transaction(Body body);
  // The same for events, which are then recorded as acknowledged.
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
  CheckedTail at_, checked_;  // checked_: where the next opening starts its check
  bool needs_log_;            // as the file and its log together state
  bool sync_;
  int log_pages_ = 0;
  // True if the mark is in the file itself, not only in the log. A reader can prevent that; the
  // move is tried again when the log has note_again_at_ pages.
  bool note_is_in_file_ = false;
  int note_pages_ = std::numeric_limits<int>::max(), note_again_at_ = 0;
  std::uint64_t most_log_bytes_ = std::numeric_limits<std::uint64_t>::max();
  AcknowledgedFile record_;
  Statement begin_, commit_, sample_, operation_, category_, prototype_, moved_, embeddings_,
      forget_, extras_, arrival_, source_, snapshot_, snapshot_part_, drop_parts_;
  std::optional<std::int64_t> arrived_;  // the second in the last row of arrivals
  FieldSum fields_;
  std::vector<double> numbers_;  // of the run of embeddings being written
  std::vector<std::byte> run_;
};

}  // namespace paco::journal
