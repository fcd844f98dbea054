// Puts batches into the file, each in one transaction, and links the chain as it goes. The one
// place that writes events. After an error everything is as before the call and the next call may
// work.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "journal/batch.hpp"
#include "journal/batch_table.hpp"
#include "journal/checkpointer.hpp"
#include "journal/checksum.hpp"
#include "journal/database.hpp"

namespace paco::journal {

// The error for a key that an earlier sample of the stream has.
Error duplicate_key(const std::string& path, std::uint64_t sequence, std::string_view key);

class Writer {
 public:
  // `database` is open for writing and has the write lock; `tail` is where its events end. With
  // `sync` a write returns when it is on the disk, without, sync() says when.
  static Result<std::unique_ptr<Writer>> create(Database database, const JournalSettings& settings,
                                                JournalTail tail, bool sync);
  ~Writer();

  Result<void> write(const Batch& batch);
  // Makes sure that what was written lasts.
  Result<void> sync();
  // Leaves the snapshots of these events out.
  Result<void> remove_snapshots(std::span<const std::uint64_t> events);
  // Keeps as much as `retention` says and no more, and gives the space back to the system.
  Result<void> compact(const Retention& retention);
  // Everything from the log into the file itself, as far as readers let it.
  Result<void> checkpoint();

  const JournalTail& tail() const { return tail_; }

 private:
  Writer(Database database, const JournalSettings& settings, JournalTail tail);
  Result<void> prepare();
  Result<void> write_events(const Batch& batch, JournalTail& tail);
  Result<void> write_samples(const Batch& batch);
  Result<void> write_operation(const OperationRow& row, JournalTail& tail);
  Result<void> write_embeddings(const Batch& batch);
  Result<void> write_run(std::uint64_t first, std::span<const double> numbers);
  Result<void> write_categories(const Batch& batch);
  Result<void> write_extras(const Batch& batch);
  Result<void> write_snapshot(const Snapshot& snapshot);
  Result<void> forget_embeddings(std::uint64_t samples);
  Result<void> cut_embeddings(std::uint64_t keep);

  BatchTable batch_table_;  // before the connection, which knows it to its end
  Database database_;
  std::size_t dimension_;
  std::size_t columns_;
  Retention retention_;
  JournalTail tail_;
  std::uint64_t forgotten_ = 0;  // samples whose embeddings need not be looked for again
  Statement begin_, commit_, samples_, operation_, category_, prototype_, moved_, embeddings_,
      forget_, extras_, snapshot_, snapshot_part_, drop_snapshot_, drop_parts_;
  FieldSum fields_;
  std::vector<BatchTable::Link> links_;  // of the samples of the batch at hand
  std::vector<std::byte> run_;
  int pages_in_log_ = 0;
  Checkpointer checkpointer_;
};

}  // namespace paco::journal
