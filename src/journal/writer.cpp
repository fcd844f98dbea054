#include "journal/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "journal/embedding_run.hpp"
#include "journal/settings.hpp"

namespace paco::journal {
namespace {

// Samples whose embeddings are one blob: as many as fit here, so that one of them is read fast.
constexpr std::size_t kRunBytes = std::size_t{1} << 18;

int count_pages(void* pages, sqlite3*, const char*, int in_log) {
  *static_cast<int*>(pages) = in_log;
  return SQLITE_OK;
}

}  // namespace

Error duplicate_key(const std::string& path, std::uint64_t sequence, std::string_view key) {
  return Error{
      ErrorCode::bad_value,
      fmt::format("{}: sample {} has the key '{}', which an earlier one has", path, sequence, key),
      "a key is unique in its stream"};
}

Writer::Writer(Database database, const JournalSettings& settings, JournalTail tail)
    : batch_table_(settings.evidence.size()),
      database_(std::move(database)),
      dimension_(settings.dimension),
      columns_(settings.evidence.size()),
      retention_(settings.retention),
      tail_(tail),
      checkpointer_(database_.path()) {}

Writer::~Writer() { checkpointer_.stop(); }

Result<std::unique_ptr<Writer>> Writer::create(Database database, const JournalSettings& settings,
                                               JournalTail tail, bool sync) {
  std::unique_ptr<Writer> writer(new Writer(std::move(database), settings, tail));
  PACO_TRY(writer->database_.run(sync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  // A log that one large transaction made long is cut back when it starts anew.
  PACO_TRY(writer->database_.run("PRAGMA journal_size_limit=134217728"));
  PACO_TRY(writer->prepare());
  sqlite3_wal_hook(writer->database_.handle(), count_pages, &writer->pages_in_log_);
  return writer;
}

Result<void> Writer::prepare() {
  PACO_TRY(batch_table_.attach(database_));
  PACO_ASSIGN(begin_, database_.prepare("BEGIN IMMEDIATE"));
  PACO_ASSIGN(commit_, database_.prepare("COMMIT"));
  // OR FAIL: a row that is refused ends the transaction, so the rows before it need not be kept
  // apart to be taken back.
  PACO_ASSIGN(samples_, database_.prepare(fmt::format(
                            "INSERT OR FAIL INTO samples SELECT * FROM {}", BatchTable::kName)));
  PACO_ASSIGN(operation_,
              database_.prepare("INSERT INTO operations VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)"));
  PACO_ASSIGN(category_, database_.prepare(
                             "INSERT OR REPLACE INTO category_rows VALUES(?1,?2,?3,?4,?5,?6,?7)"));
  PACO_ASSIGN(prototype_, database_.prepare("INSERT OR REPLACE INTO prototypes VALUES(?1,?2,?3)"));
  PACO_ASSIGN(moved_, database_.prepare("INSERT OR REPLACE INTO moved VALUES(?1,?2,?3,?4)"));
  PACO_ASSIGN(embeddings_, database_.prepare("INSERT INTO embeddings VALUES(?1,?2,?3,?4)"));
  PACO_ASSIGN(forget_, database_.prepare("DELETE FROM embeddings WHERE first_sequence < ?1 AND "
                                         "first_sequence + count <= ?1"));
  PACO_ASSIGN(extras_, database_.prepare("INSERT INTO extras VALUES(?1,?2,?3,?4)"));
  PACO_ASSIGN(snapshot_,
              database_.prepare("INSERT OR REPLACE INTO snapshots VALUES(?1,?2,?3,?4,?5,?6)"));
  PACO_ASSIGN(snapshot_part_, database_.prepare("INSERT INTO snapshot_parts VALUES(?1,?2,?3)"));
  PACO_ASSIGN(drop_snapshot_, database_.prepare("DELETE FROM snapshots WHERE event = ?1"));
  PACO_ASSIGN(drop_parts_, database_.prepare("DELETE FROM snapshot_parts WHERE event = ?1"));
  return {};
}

Result<void> Writer::write(const Batch& batch) {
  JournalTail tail = tail_;
  PACO_TRY(begin_.finish());
  Rollback rollback(database_);
  PACO_TRY(write_events(batch, tail));
  PACO_TRY(write_embeddings(batch));
  PACO_TRY(write_categories(batch));
  PACO_TRY(write_extras(batch));
  for (const Snapshot& snapshot : batch.snapshots) PACO_TRY(write_snapshot(snapshot));
  PACO_TRY(forget_embeddings(tail.samples));
  PACO_TRY(commit_.finish());
  tail_ = tail;
  checkpointer_.committed(pages_in_log_, database_);
  return {};
}

// The chain links samples and operations in the order of events.
Result<void> Writer::write_events(const Batch& batch, JournalTail& tail) {
  std::size_t operation = 0;
  const double* evidence = batch.evidence.data();
  const double* embedding = batch.embeddings.data();
  links_.clear();
  for (const Batch::Sample& sample : batch.samples) {
    for (; operation < batch.operations.size() &&
           batch.operations[operation].event < sample.core.event;
         ++operation) {
      PACO_TRY(write_operation(batch.operations[operation], tail));
    }
    std::optional<std::uint64_t> checksum;
    if (sample.has_embedding) {
      checksum = embedding_checksum({embedding, dimension_});
      embedding += dimension_;
    }
    tail.chain = sample_link(fields_, tail.chain, sample.core, {evidence, columns_},
                             batch.key(sample), batch.name(sample), checksum);
    evidence += columns_;
    links_.push_back({checksum, tail.chain});
    ++tail.samples;
    ++tail.events;
  }
  for (; operation < batch.operations.size(); ++operation)
    PACO_TRY(write_operation(batch.operations[operation], tail));
  return write_samples(batch);
}

Result<void> Writer::write_samples(const Batch& batch) {
  if (batch.samples.empty()) return {};
  batch_table_.show(batch, links_);
  auto written = samples_.finish();
  if (written.ok() || written.error().code != ErrorCode::bad_value) return written;
  const Batch::Sample& refused = batch.samples[batch_table_.position()];
  const auto key = batch.key(refused);
  if (!key) return written;
  return duplicate_key(database_.path(), refused.core.sequence, *key);
}

Result<void> Writer::write_operation(const OperationRow& row, JournalTail& tail) {
  tail.chain = operation_link(fields_, tail.chain, row);
  operation_.integer(row.event)
      .integer(row.sequence)
      .real(row.time)
      .text(row.actor)
      .text(row.kind)
      .text(row.request)
      .text(row.outcome);
  row.undoes ? operation_.integer(*row.undoes) : operation_.null();
  PACO_TRY(operation_.integer(tail.chain).finish());
  ++tail.operations;
  ++tail.events;
  return {};
}

// Runs of samples that follow each other and have embeddings, cut to a size that reads well.
Result<void> Writer::write_embeddings(const Batch& batch) {
  if (retention_.embeddings == std::uint64_t{0}) return {};
  const std::size_t most = std::max<std::size_t>(1, kRunBytes / (dimension_ * sizeof(float)));
  std::size_t taken = 0;  // embeddings already written
  for (std::size_t begin = 0; begin < batch.samples.size();) {
    std::size_t end = begin;
    while (end < batch.samples.size() && end - begin < most && batch.samples[end].has_embedding)
      ++end;
    if (end == begin) {
      ++begin;
      continue;
    }
    const std::span<const double> numbers(batch.embeddings.data() + taken * dimension_,
                                          (end - begin) * dimension_);
    PACO_TRY(write_run(batch.samples[begin].core.sequence, numbers));
    taken += end - begin;
    begin = end;
  }
  return {};
}

Result<void> Writer::write_run(std::uint64_t first, std::span<const double> numbers) {
  const io::ElementType type = encode_run(numbers, run_);
  return embeddings_.integer(first)
      .integer(std::uint64_t{numbers.size() / dimension_})
      .text(io::element_name(type))
      .blob(run_)
      .finish();
}

Result<void> Writer::write_categories(const Batch& batch) {
  for (const CategoryRow& row : batch.categories) {
    PACO_TRY(category_.integer(row.id)
                 .text(row.name)
                 .text(row.kind)
                 .integer(row.now)
                 .integer(std::int64_t{row.retired})
                 .integer(row.born)
                 .integer(category_sum(fields_, row))
                 .finish());
    for (const std::int64_t prototype : row.prototypes) {
      PACO_TRY(prototype_.integer(prototype)
                   .integer(row.id)
                   .integer(prototype_sum(fields_, prototype, row.id))
                   .finish());
    }
  }
  for (const Membership& row : batch.moved) {
    PACO_TRY(moved_.integer(row.sequence)
                 .integer(row.prototype)
                 .integer(std::int64_t{row.counted})
                 .integer(membership_sum(fields_, row))
                 .finish());
  }
  return {};
}

Result<void> Writer::write_extras(const Batch& batch) {
  for (const Extras& row : batch.extras) {
    extras_.integer(row.sequence).text(row.attributes);
    row.has_picture ? extras_.blob(std::as_bytes(std::span(row.picture))) : extras_.null();
    PACO_TRY(extras_.integer(extras_sum(fields_, row)).finish());
  }
  return {};
}

Result<void> Writer::write_snapshot(const Snapshot& snapshot) {
  PACO_TRY(drop_parts_.integer(snapshot.event).finish());
  PACO_ASSIGN(const std::int64_t first,
              database_.number("SELECT coalesce(max(part), -1) + 1 FROM snapshot_parts"));
  const std::span<const std::byte> bytes(snapshot.bytes);
  std::int64_t part = first;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPartBytes) {
    PACO_TRY(snapshot_part_.integer(part++)
                 .integer(snapshot.event)
                 .blob(bytes.subspan(begin, std::min(kPartBytes, bytes.size() - begin)))
                 .finish());
  }
  return snapshot_.integer(snapshot.event)
      .integer(snapshot.sequence)
      .text(snapshot.digest)
      .integer(std::uint64_t{bytes.size()})
      .integer(first)
      .integer(snapshot_sum(fields_, snapshot, checksum_of(bytes)))
      .finish();
}

// Whole runs only, and not at every write: a single sample shall not pay for it. So a few more are
// kept than asked for; compact() is exact.
Result<void> Writer::forget_embeddings(std::uint64_t samples) {
  const std::uint64_t keep = retention_.embeddings.value_or(samples);
  if (keep == 0 || samples <= keep) return {};
  const std::uint64_t until = samples - keep;
  if (until < forgotten_ + std::max<std::uint64_t>(256, keep / 16)) return {};
  PACO_TRY(forget_.integer(until).finish());
  forgotten_ = until;
  return {};
}

Result<void> Writer::sync() {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log == nullptr || log->pMethods == nullptr) return {};  // nothing was ever written
  const int status = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (status != SQLITE_OK) return database_error(database_.path(), status, "the disk refused");
  return {};
}

}  // namespace paco::journal
