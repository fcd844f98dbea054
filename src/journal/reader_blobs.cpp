// The part of a reader that fetches what is kept as bytes, embeddings and snapshots, and says how
// much there is of everything.
#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/checksum.hpp"
#include "journal/embedding_run.hpp"
#include "journal/open.hpp"
#include "journal/reader.hpp"

namespace paco::journal {
namespace {

struct BlobCloser {
  void operator()(sqlite3_blob* blob) const { sqlite3_blob_close(blob); }
};

}  // namespace

Result<bool> Reader::embeddings(std::uint64_t from, std::span<double> into) {
  const std::size_t dimension = opened_.settings.dimension;
  // One transaction, so that the run that was found is the one that is read.
  PACO_TRY(database_.run("BEGIN"));
  const Rollback rollback(database_);
  std::vector<std::byte> bytes;
  while (!into.empty()) {
    PACO_ASSIGN(const bool found, run_.integer(from).step());
    const std::uint64_t first = found ? run_.number_at(0) : 0;
    const std::uint64_t count = found ? run_.number_at(1) : 0;
    if (!found || from - first >= count) {
      run_.reset();
      return false;
    }
    const std::string type_name(run_.text_at(2));
    run_.reset();
    PACO_ASSIGN(const io::ElementType type, run_type(database_.path(), type_name));
    const std::size_t row_bytes = dimension * io::element_size(type);
    const std::size_t rows = std::min<std::size_t>(count - (from - first), into.size() / dimension);

    // Only the rows that are asked for, not the whole run.
    sqlite3_blob* handle = nullptr;
    const int opened = sqlite3_blob_open(database_.handle(), "main", "embeddings", "bytes",
                                         static_cast<sqlite3_int64>(first), 0, &handle);
    const std::unique_ptr<sqlite3_blob, BlobCloser> blob(handle);
    if (opened != SQLITE_OK) return database_.error();
    if (static_cast<std::size_t>(sqlite3_blob_bytes(handle)) != count * row_bytes)
      return damaged(database_.path(),
                     fmt::format("the embeddings of sample {} on are cut short", first));
    bytes.resize(rows * row_bytes);
    if (sqlite3_blob_read(handle, bytes.data(), static_cast<int>(bytes.size()),
                          static_cast<int>((from - first) * row_bytes)) != SQLITE_OK) {
      return database_.error();
    }
    io::to_doubles(type, false, bytes.data(), into.first(rows * dimension));
    into = into.subspan(rows * dimension);
    from += rows;
  }
  return true;
}

Result<std::vector<SnapshotInfo>> Reader::snapshots() {
  std::vector<SnapshotInfo> list;
  PACO_ASSIGN(Statement row, database_.prepare("SELECT event, sequence, digest, size FROM "
                                               "snapshots ORDER BY event"));
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) return list;
    list.push_back(
        {row.number_at(0), row.number_at(1), std::string(row.text_at(2)), row.number_at(3)});
  }
}

Result<std::optional<Snapshot>> Reader::newest_snapshot(std::uint64_t at_most_event) {
  PACO_TRY(database_.run("BEGIN"));
  const Rollback rollback(database_);
  PACO_ASSIGN(Statement row, database_.prepare("SELECT event, sequence, digest, size, first_part, "
                                               "checksum FROM snapshots WHERE event <= ?1 "
                                               "ORDER BY event DESC LIMIT 1"));
  // Events are counted by 63 bits in the file.
  constexpr std::uint64_t kLast = std::uint64_t(-1) >> 1;
  PACO_ASSIGN(const bool found, row.integer(std::min(at_most_event, kLast)).step());
  if (!found) return std::optional<Snapshot>{};
  Snapshot snapshot;
  snapshot.event = row.number_at(0);
  snapshot.sequence = row.number_at(1);
  snapshot.digest = row.text_at(2);
  snapshot.size = row.number_at(3);
  PACO_ASSIGN(Statement part, database_.prepare("SELECT bytes FROM snapshot_parts WHERE part >= ?1 "
                                                "AND event = ?2 ORDER BY part"));
  part.integer(row.integer_at(4)).integer(snapshot.event);
  for (;;) {
    PACO_ASSIGN(const bool more, part.step());
    if (!more) break;
    const auto bytes = part.blob_at(0);
    snapshot.bytes.insert(snapshot.bytes.end(), bytes.begin(), bytes.end());
    if (snapshot.bytes.size() >= snapshot.size) break;
  }
  FieldSum fields;
  if (snapshot_sum(fields, snapshot, checksum_of(snapshot.bytes)) != row.number_at(5) ||
      snapshot.bytes.size() != snapshot.size) {
    return damaged(
        database_.path(),
        fmt::format("the checksum of the snapshot at event {} does not hold", snapshot.event));
  }
  return std::optional(std::move(snapshot));
}

Result<JournalInfo> Reader::info() {
  JournalInfo info;
  PACO_ASSIGN(info.tail, tail());
  PACO_ASSIGN(Statement row,
              database_.prepare(
                  "SELECT (SELECT count(*) FROM category_rows), (SELECT count(*) FROM snapshots), "
                  "(SELECT coalesce(sum(count), 0) FROM embeddings), "
                  "(SELECT coalesce(min(first_sequence), 0) FROM embeddings), "
                  "(SELECT time FROM operations ORDER BY event DESC LIMIT 1)"));
  PACO_TRY(row.step());
  info.categories = row.number_at(0);
  info.snapshots = row.number_at(1);
  info.embeddings = row.number_at(2);
  info.first_embedding = row.number_at(3);
  if (!row.is_null(4)) info.last_operation = row.real_at(4);
  info.created = opened_.settings.created;
  PACO_ASSIGN(info.file_bytes, core::file_size(database_.path()));
  info.log_bytes = log_bytes(database_.path());
  PACO_ASSIGN(const std::int64_t free_pages, database_.number("PRAGMA freelist_count"));
  PACO_ASSIGN(const std::int64_t page_bytes, database_.number("PRAGMA page_size"));
  info.free_bytes = static_cast<std::uint64_t>(free_pages * page_bytes);
  return info;
}

}  // namespace paco::journal
