#include "journal/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/columns.hpp"
#include "journal/embedding_run.hpp"
#include "journal/schema.hpp"
#include "journal/settings.hpp"

namespace paco::journal {
namespace {

// Size of a blob of embeddings: large enough for several samples, small enough to read one fast.
constexpr std::size_t kRunBytes = std::size_t{1} << 18;

Error duplicate_key(const std::string& path, const SampleRow& row) {
  return Error{ErrorCode::bad_value,
               fmt::format("{}: sample {} has the key '{}', which an earlier one has", path,
                           row.sequence, row.key),
               "a key is unique in its stream"};
}

}  // namespace

Writer::Writer(Database database, const JournalHeader& header, CheckedTail tail, bool sync)
    : database_(std::move(database)),
      dimension_(header.settings.dimension),
      evidence_(header.settings.evidence.size()),
      retention_(header.settings.retention),
      at_(tail),
      checked_(header.checked),
      needs_log_(header.needs_log),
      sync_(sync) {}

Result<std::unique_ptr<Writer>> Writer::create(Database database, const JournalHeader& header,
                                               CheckedTail tail, bool sync) {
  std::unique_ptr<Writer> writer(new Writer(std::move(database), header, tail, sync));
  PACO_TRY(writer->database_.run(sync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  // If one large transaction made the log long, the log is cut back when it starts over.
  PACO_TRY(writer->database_.run("PRAGMA journal_size_limit=134217728"));
  sqlite3_wal_hook(writer->database_.handle(), &Writer::note_log, writer.get());
  PACO_TRY(writer->prepare(header.settings));
  return writer;
}

Result<void> Writer::prepare(const JournalSettings& settings) {
  PACO_ASSIGN(begin_, database_.prepare("BEGIN IMMEDIATE"));
  PACO_ASSIGN(commit_, database_.prepare("COMMIT"));
  PACO_ASSIGN(sample_, database_.prepare(insert_sample(settings)));
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
  PACO_ASSIGN(arrival_, database_.prepare("INSERT OR REPLACE INTO arrivals VALUES(?1,?2,?3)"));
  PACO_ASSIGN(source_,
              database_.prepare("INSERT OR REPLACE INTO sources VALUES(?1,?2,?3,?4,?5,?6)"));
  PACO_ASSIGN(snapshot_,
              database_.prepare("INSERT OR REPLACE INTO snapshots VALUES(?1,?2,?3,?4,?5)"));
  PACO_ASSIGN(snapshot_part_, database_.prepare("INSERT INTO snapshot_parts VALUES(?1,?2,?3)"));
  PACO_ASSIGN(drop_parts_, database_.prepare("DELETE FROM snapshot_parts WHERE event = ?1"));
  return {};
}

template <class Body>
Result<void> Writer::transaction(Body body) {
  CheckedTail at = at_;
  PACO_TRY(begin_.run());
  const Rollback rollback(database_);
  PACO_TRY(body(at));
  PACO_TRY(commit_.run());
  at_ = at;
  return {};
}

template <class Body>
Result<void> Writer::append_events(Body body) {
  PACO_TRY(check_place());
  PACO_TRY(check_log());
  if (!record_.is_ready()) {
    // Events that an earlier writer left in the log may not be on the disk yet.
    if (tail().events > 0) PACO_TRY(sync_log());
    PACO_TRY(record_.prepare(tail()));
  }
  if (record_.is_kept()) {
    if (!needs_log_) PACO_TRY(note_needs_log(true));
    if (!note_is_in_file_) bring_note_to_file();
  }
  PACO_TRY(transaction(body));
  if (sync_) record_.write(tail());
  return {};
}

Result<void> Writer::append(std::span<const SampleRow> samples,
                            std::span<const CategoryRow> changed, const SourceRow* source,
                            std::optional<std::int64_t> time) {
  const bool is_later = time && !samples.empty() && time != arrived_;
  const Result<void> done = append_events([&](CheckedTail& at) -> Result<void> {
    for (const SampleRow& row : samples) PACO_TRY(write_sample(row, at));
    if (is_later) PACO_TRY(write_arrival({samples.front().sequence, *time}));
    PACO_TRY(write_embeddings(samples));
    PACO_TRY(write_categories(changed));
    if (source == nullptr) return {};
    return source_.run(source->identity, source->first, source->name, source->consumed,
                       source->digest, source_sum(fields_, *source));
  });
  if (done.ok() && is_later) arrived_ = time;
  return done;
}

Result<void> Writer::append(const OperationRow& operation, std::span<const CategoryRow> changed,
                            std::span<const Membership> moved) {
  return append_events([&](CheckedTail& at) -> Result<void> {
    PACO_TRY(write_operation(operation, at.tail));
    PACO_TRY(write_categories(changed));
    return write_memberships(moved);
  });
}

Result<void> Writer::write_sample(const SampleRow& row, CheckedTail& at) {
  JournalTail& tail = at.tail;
  std::optional<std::uint64_t> embedding;
  if (!row.embedding.empty()) embedding = embedding_checksum(row.embedding);
  tail.chain = sample_link(fields_, tail.chain, row, evidence_, embedding);
  const Result<void> written =
      sample_.run(row.sequence, row.event, row.category, row.prototype, row.runner_up,
                  static_cast<std::uint8_t>(row.verdict), row.counted, key_of(row),
                  std::string_view(row.sample), embedding, tail.chain, row.score, row.threshold,
                  std::span(row.evidence).first(evidence_));
  if (!written.ok()) {
    const bool is_refused = written.error().code == ErrorCode::bad_value && !row.key.empty();
    return is_refused ? duplicate_key(database_.path(), row) : written.error();
  }
  if (!row.key.empty()) at.keys += key_sum(fields_, row.key, row.sequence);
  ++tail.samples;
  ++tail.events;
  if (row.attributes.empty() && row.picture.empty()) return {};
  return write_extras(row);
}

Result<void> Writer::write_operation(const OperationRow& row, JournalTail& tail) {
  tail.chain = operation_link(fields_, tail.chain, row);
  PACO_TRY(operation_.run(row.event, row.sequence, row.time, row.actor, row.kind, row.request,
                          row.outcome, row.undoes, tail.chain));
  ++tail.operations;
  ++tail.events;
  return {};
}

// Writes runs of consecutive samples with embeddings; each run is small enough to be read fast.
Result<void> Writer::write_embeddings(std::span<const SampleRow> samples) {
  const std::size_t most = std::max<std::size_t>(1, kRunBytes / (dimension_ * sizeof(float)));
  for (std::size_t begin = 0; begin < samples.size();) {
    numbers_.clear();
    std::size_t end = begin;
    for (; end < samples.size() && end - begin < most && !samples[end].embedding.empty(); ++end)
      numbers_.insert(numbers_.end(), samples[end].embedding.begin(), samples[end].embedding.end());
    if (end > begin) PACO_TRY(write_run(samples[begin].sequence, numbers_));
    begin = std::max(end, begin + 1);
  }
  return {};
}

Result<void> Writer::write_run(std::uint64_t first, std::span<const double> numbers) {
  const io::ElementType type = encode_run(numbers, run_);
  return embeddings_.run(first, numbers.size() / dimension_, io::element_name(type),
                         std::span<const std::byte>(run_));
}

Result<void> Writer::write_categories(std::span<const CategoryRow> changed) {
  for (const CategoryRow& row : changed) {
    PACO_TRY(category_.run(row.id, row.name, row.kind, row.now, row.retired, row.born,
                           category_sum(fields_, row)));
    for (const std::int64_t prototype : row.prototypes)
      PACO_TRY(prototype_.run(prototype, row.id, prototype_sum(fields_, prototype, row.id)));
  }
  return {};
}

Result<void> Writer::write_memberships(std::span<const Membership> moved) {
  for (const Membership& row : moved) {
    PACO_TRY(moved_.run(row.sequence, row.prototype, row.counted, membership_sum(fields_, row)));
  }
  return {};
}

Result<void> Writer::write_extras(const SampleRow& row) {
  std::optional<std::span<const std::byte>> picture;
  if (!row.picture.empty()) picture = std::as_bytes(std::span(row.picture));
  return extras_.run(row.sequence, row.attributes, picture,
                     extras_sum(fields_, row.sequence, row.attributes, row.picture));
}

Result<void> Writer::write_arrival(const Arrival& row) {
  return arrival_.run(row.first_sequence, row.time, arrival_sum(fields_, row));
}

Result<void> Writer::save_snapshot(const SnapshotInfo& info, std::span<const std::byte> bytes) {
  const Result<void> saved = transaction([&](CheckedTail& at) -> Result<void> {
    PACO_TRY(drop_parts_.run(info.event));
    for (std::size_t begin = 0; begin < bytes.size(); begin += kPartBytes) {
      PACO_TRY(
          snapshot_part_.run(info.event, begin / kPartBytes,
                             bytes.subspan(begin, std::min(kPartBytes, bytes.size() - begin))));
    }
    PACO_TRY(snapshot_.run(info.event, info.sequence, info.digest, info.size,
                           snapshot_sum(fields_, info, checksum_of(bytes))));
    PACO_TRY(write_checked(database_, at, needs_log_));
    return forget_embeddings();
  });
  if (saved.ok()) checked_ = at_;
  return saved;
}

Result<void> Writer::prune_snapshots(std::uint64_t keep) {
  return transaction([&](CheckedTail&) { return remove_snapshots(keep); });
}

Result<void> Writer::remove_snapshots(std::uint64_t keep) {
  return database_.run(fmt::format(
      "DELETE FROM snapshots WHERE event NOT IN (SELECT event FROM snapshots ORDER BY event DESC "
      "LIMIT {});"
      "DELETE FROM snapshot_parts WHERE event NOT IN (SELECT event FROM snapshots)",
      keep));
}

// Keeps the embeddings that opening needs: it decides samples after the newest snapshot again, and
// an operation after it may need any embedding that was kept.
Result<std::uint64_t> Writer::first_to_keep() {
  const std::uint64_t samples = tail().samples;
  const std::uint64_t asked = samples - std::min(samples, retention_.embeddings.value_or(samples));
  PACO_ASSIGN(const std::int64_t covered,
              database_.number("SELECT sequence FROM snapshots AS s WHERE event = (SELECT "
                               "max(event) FROM snapshots) AND NOT EXISTS (SELECT 1 FROM "
                               "operations WHERE event >= s.event)"));
  return std::min(asked, static_cast<std::uint64_t>(covered));
}

// Removes whole runs only, so a few more embeddings are kept than requested; compact() is exact.
Result<void> Writer::forget_embeddings() {
  PACO_ASSIGN(const std::uint64_t first, first_to_keep());
  return first == 0 ? Result<void>{} : forget_.run(first);
}

// If the file was renamed, the log remains under the old name. Then the log is moved into the file
// and no further event is acknowledged.
Result<void> Writer::check_place() {
  int has_moved = 0;
  sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (has_moved == 0) return {};
  PACO_TRY(checkpoint());
  return Error{ErrorCode::io,
               fmt::format("{}: the journal was renamed, replaced or removed while it is written",
                           database_.path()),
               "give the file its name back to go on, or close it before it is renamed; what was "
               "acknowledged is in the file"};
}

Result<void> Writer::sync() {
  PACO_TRY(sync_log());
  record_.write(tail());
  return {};
}

Result<void> Writer::sync_log() {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log == nullptr || log->pMethods == nullptr) return {};  // nothing was ever written
  const int status = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (status != SQLITE_OK) return database_error(database_.path(), status, "sync failed");
  return {};
}

// Removes the embeddings that are not to be kept, cutting the run at the limit.
Result<void> Writer::cut_embeddings() {
  PACO_ASSIGN(const std::uint64_t until, first_to_keep());
  PACO_TRY(forget_.run(until));
  PACO_ASSIGN(Statement run, database_.prepare("SELECT first_sequence, count, type, bytes FROM "
                                               "embeddings WHERE first_sequence < ?1"));
  PACO_ASSIGN(const bool found, run.bind(until).step());
  if (!found) return {};
  const std::uint64_t first = run.number_at(0), count = run.number_at(1);
  PACO_ASSIGN(const io::ElementType type, run_type(database_.path(), run.text_at(2)));
  const std::span<const std::byte> bytes = run.blob_at(3);
  if (first + count <= until || bytes.size() != count * dimension_ * io::element_size(type))
    return damaged(database_.path(), fmt::format("the embeddings of sample {} on", first));
  std::vector<double> numbers((first + count - until) * dimension_);
  io::to_doubles(type, false, bytes.data() + bytes.size() / count * (until - first), numbers);
  run.reset();
  PACO_TRY(database_.run(fmt::format("DELETE FROM embeddings WHERE first_sequence = {}", first)));
  return write_run(until, numbers);
}

Result<void> Writer::compact(const Retention& retention) {
  const Retention before = std::exchange(retention_, retention);
  const Result<void> removed = transaction([&](CheckedTail&) -> Result<void> {
    PACO_TRY(write_retention(database_, retention));
    PACO_TRY(cut_embeddings());
    PACO_TRY(database_.run("REINDEX sample_keys"));  // VACUUM copies an index as it is
    return remove_snapshots(retention.snapshots);
  });
  if (!removed.ok()) {
    retention_ = before;
    return removed;
  }
  // VACUUM is one transaction too: the log has all of it or none.
  PACO_TRY(database_.run("VACUUM"));
  return checkpoint();
}

int Writer::note_log(void* writer, sqlite3*, const char*, int pages) {
  static_cast<Writer*>(writer)->log_pages_ = pages;
  return SQLITE_OK;
}

Result<void> Writer::note_needs_log(bool needs_log) {
  note_is_in_file_ = false;
  note_again_at_ = 0;
  PACO_TRY(
      transaction([&](CheckedTail&) { return write_checked(database_, checked_, needs_log); }));
  needs_log_ = needs_log;
  note_pages_ = log_pages_;
  return {};
}

// A reader in the middle of a query may prevent the move; then it is tried again later.
void Writer::bring_note_to_file() {
  if (log_pages_ < note_again_at_) return;
  move_log();
  note_again_at_ = 2 * log_pages_;
}

int Writer::move_log() {
  int pages = 0, moved = 0;
  const int status = sqlite3_wal_checkpoint_v2(database_.handle(), "main",
                                               SQLITE_CHECKPOINT_PASSIVE, &pages, &moved);
  if (status != SQLITE_OK) return log_pages_;
  log_pages_ = moved == pages ? 0 : pages;
  if (log_pages_ == 0 || moved >= note_pages_) note_is_in_file_ = true;
  return log_pages_;
}

bool Writer::settle() {
  if (needs_log_ && !note_needs_log(false).ok()) return false;
  return move_log() == 0;
}

// The log cannot start over while a reader uses its beginning.
Result<void> Writer::check_log() {
  if (static_cast<std::uint64_t>(log_pages_) * kPageBytes < most_log_bytes_) return {};
  if (move_log() == 0) return {};
  return Error{ErrorCode::io,
               fmt::format("{}: its log has grown to {} MB, because another program has been "
                           "reading the journal all the time",
                           database_.path(), std::uint64_t(log_pages_) * kPageBytes / 1'000'000),
               "end the program that reads it; the stream then goes on"};
}

Result<void> Writer::checkpoint() {
  if (needs_log_) PACO_TRY(note_needs_log(false));
  const int status = sqlite3_wal_checkpoint_v2(database_.handle(), "main",
                                               SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  // Busy: a reader still needs the log, which then stays.
  if (status != SQLITE_OK && (status & 0xff) != SQLITE_BUSY) return database_.error();
  if (status == SQLITE_OK) log_pages_ = 0;
  return {};
}

}  // namespace paco::journal
