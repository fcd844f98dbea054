// The parts of a writer that make a journal smaller: fewer embeddings and snapshots, and the space
// given back to the system. Events are never removed.
#include <fmt/format.h>

#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/embedding_run.hpp"
#include "journal/settings.hpp"
#include "journal/writer.hpp"

namespace paco::journal {

// Keeps the embeddings of the last `keep` samples; the run that the limit falls into is cut.
Result<void> Writer::cut_embeddings(std::uint64_t keep) {
  const std::uint64_t until = tail_.samples > keep ? tail_.samples - keep : 0;
  PACO_TRY(forget_.integer(until).finish());
  PACO_ASSIGN(Statement run, database_.prepare("SELECT first_sequence, count, type, bytes FROM "
                                               "embeddings WHERE first_sequence < ?1"));
  PACO_ASSIGN(const bool found, run.integer(until).step());
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

Result<void> Writer::remove_snapshots(std::span<const std::uint64_t> events) {
  PACO_TRY(begin_.finish());
  Rollback rollback(database_);
  for (const std::uint64_t event : events) {
    PACO_TRY(drop_snapshot_.integer(event).finish());
    PACO_TRY(drop_parts_.integer(event).finish());
  }
  return commit_.finish();
}

Result<void> Writer::compact(const Retention& retention) {
  {
    PACO_TRY(begin_.finish());
    Rollback rollback(database_);
    PACO_TRY(write_retention(database_, retention));
    if (retention.embeddings) PACO_TRY(cut_embeddings(*retention.embeddings));
    PACO_TRY(database_.run(fmt::format(
        "DELETE FROM snapshots WHERE event NOT IN (SELECT event FROM snapshots ORDER BY event DESC "
        "LIMIT {});"
        "DELETE FROM snapshot_parts WHERE event NOT IN (SELECT event FROM snapshots)",
        retention.snapshots)));
    PACO_TRY(commit_.finish());
  }
  retention_ = retention;
  forgotten_ = 0;
  // One transaction too: it is in the log as a whole or not at all.
  PACO_TRY(database_.run("VACUUM"));
  return checkpoint();
}

Result<void> Writer::checkpoint() {
  checkpointer_.stop();
  const int status = sqlite3_wal_checkpoint_v2(database_.handle(), "main",
                                               SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  // Busy: a reader still needs the log, which then stays.
  if (status != SQLITE_OK && (status & 0xff) != SQLITE_BUSY) return database_.error();
  return {};
}

}  // namespace paco::journal
