// The part of JournalReader that reads what is stored as bytes (pictures, embeddings, snapshots)
// and reports sizes and counts.
#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/embedding_run.hpp"
#include "journal/open.hpp"
#include "journal/reader_state.hpp"

namespace paco::journal {

using namespace journal;

namespace {

struct BlobCloser {
  void operator()(sqlite3_blob* blob) const { sqlite3_blob_close(blob); }
};

}  // namespace

Result<Extras> JournalReader::extras(std::uint64_t sequence, bool with_picture) {
  return ask([&](State& s) -> Result<Extras> {
    Extras out;
    out.sequence = sequence;
    const Resetter resetter{s.extras};
    PACO_ASSIGN(const bool found, s.extras.bind(sequence).step());
    if (!found) return out;
    out.attributes = s.extras.text_at(0);
    out.has_picture = s.extras.integer_at(1) != 0;
    if (!with_picture || !out.has_picture) return out;
    const Resetter picture_resetter{s.picture};
    PACO_TRY(s.picture.bind(sequence).step());
    const std::span<const std::byte> bytes = s.picture.blob_at(0);
    out.picture.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return out;
  });
}

Result<std::optional<std::int64_t>> JournalReader::arrival(std::uint64_t sequence) {
  return ask([&](State& s) -> Result<std::optional<std::int64_t>> {
    const Resetter resetter{s.arrival};
    PACO_ASSIGN(const bool found, s.arrival.bind(sequence).step());
    if (!found) return std::optional<std::int64_t>();
    const Arrival row{s.arrival.number_at(0), s.arrival.integer_at(1)};
    if (!s.arrival.has_types("iii") || arrival_sum(s.fields, row) != s.arrival.number_at(2))
      return damaged(s.path, fmt::format("when sample {} came", row.first_sequence));
    return std::optional(row.time);
  });
}

Result<std::optional<std::uint64_t>> JournalReader::first_since(std::int64_t time) {
  return ask([&](State& s) -> Result<std::optional<std::uint64_t>> {
    PACO_ASSIGN(Statement row, s.database->prepare("SELECT first_sequence FROM arrivals WHERE time "
                                                   ">= ?1 ORDER BY first_sequence LIMIT 1"));
    PACO_ASSIGN(const bool found, row.bind(time).step());
    return found ? std::optional(row.number_at(0)) : std::nullopt;
  });
}

Result<std::uint64_t> JournalReader::support_pictures(std::int64_t category) {
  return ask([&](State& s) -> Result<std::uint64_t> {
    PACO_ASSIGN(Statement row,
                s.database->prepare("SELECT count(*) FROM support_pictures WHERE category = ?1"));
    PACO_TRY(row.bind(category).step());
    return row.number_at(0);
  });
}

Result<std::string> JournalReader::support_picture(std::int64_t category, std::uint64_t position) {
  return ask([&](State& s) -> Result<std::string> {
    PACO_ASSIGN(Statement row, s.database->prepare("SELECT picture, checksum FROM support_pictures "
                                                   "WHERE category = ?1 AND position = ?2"));
    PACO_ASSIGN(const bool found, row.bind(category, position).step());
    if (!found) return std::string();
    const std::span<const std::byte> bytes = row.blob_at(0);
    SupportPicture one{
        category, position, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    if (!row.has_types("bi") || support_picture_sum(s.fields, one) != row.number_at(1))
      return damaged(s.path, fmt::format("picture {} of category {}", position, category));
    return std::move(one.picture);
  });
}

Result<std::optional<std::vector<double>>> JournalReader::embedding(std::uint64_t sequence) {
  return ask([&](State& s) -> Result<std::optional<std::vector<double>>> {
    std::vector<double> row(s.header.settings.dimension);
    PACO_ASSIGN(const bool kept, embeddings(sequence, row));
    return kept ? std::optional(std::move(row)) : std::nullopt;
  });
}

Result<bool> JournalReader::embeddings(std::uint64_t from, std::span<double> into) {
  return ask([&](State& s) -> Result<bool> {
    const std::size_t dimension = s.header.settings.dimension;
    // Use one transaction, so that the run that is read is the one that was found.
    PACO_TRY(s.database->run("BEGIN"));
    const Rollback rollback(*s.database);
    std::vector<std::byte> bytes;
    while (!into.empty()) {
      PACO_ASSIGN(const bool found, s.embedding_run.bind(from).step());
      const std::uint64_t first = found ? s.embedding_run.number_at(0) : 0;
      const std::uint64_t count = found ? s.embedding_run.number_at(1) : 0;
      if (!found || from - first >= count) {
        s.embedding_run.reset();
        return false;
      }
      const std::string type_name(s.embedding_run.text_at(2));
      s.embedding_run.reset();
      PACO_ASSIGN(const io::ElementType type, run_type(s.path, type_name));
      const std::size_t row_bytes = dimension * io::element_size(type);
      const std::size_t rows =
          std::min<std::size_t>(count - (from - first), into.size() / dimension);

      // Only the rows that are asked for, not the whole run.
      sqlite3_blob* handle = nullptr;
      const int opened = sqlite3_blob_open(s.database->handle(), "main", "embeddings", "bytes",
                                           static_cast<sqlite3_int64>(first), 0, &handle);
      const std::unique_ptr<sqlite3_blob, BlobCloser> blob(handle);
      if (opened != SQLITE_OK) return s.database->error();
      if (static_cast<std::size_t>(sqlite3_blob_bytes(handle)) != count * row_bytes)
        return damaged(s.path, fmt::format("the embeddings of sample {} on are cut short", first));
      bytes.resize(rows * row_bytes);
      if (sqlite3_blob_read(handle, bytes.data(), static_cast<int>(bytes.size()),
                            static_cast<int>((from - first) * row_bytes)) != SQLITE_OK) {
        return s.database->error();
      }
      io::to_doubles(type, false, bytes.data(), into.first(rows * dimension));
      into = into.subspan(rows * dimension);
      from += rows;
    }
    return true;
  });
}

Result<std::vector<std::uint64_t>> JournalReader::embedding_checksums() {
  return ask([](State& s) -> Result<std::vector<std::uint64_t>> {
    PACO_ASSIGN(Statement all,
                s.database->prepare("SELECT embedding FROM samples ORDER BY sequence"));
    std::vector<std::uint64_t> sums;
    for (;;) {
      PACO_ASSIGN(const bool more, all.step());
      if (!more) return sums;
      sums.push_back(all.optional_at(0).value_or(0));
    }
  });
}

Result<std::optional<std::uint64_t>> JournalReader::embedding_checksum(std::uint64_t sequence) {
  return ask([&](State& s) -> Result<std::optional<std::uint64_t>> {
    PACO_ASSIGN(Statement row,
                s.database->prepare("SELECT embedding FROM samples WHERE sequence = ?1"));
    PACO_ASSIGN(const bool found, row.bind(sequence).step());
    return found ? row.optional_at(0) : std::nullopt;
  });
}

Result<std::vector<SnapshotInfo>> JournalReader::snapshots() {
  return ask([](State& s) -> Result<std::vector<SnapshotInfo>> {
    std::vector<SnapshotInfo> list;
    PACO_ASSIGN(Statement row, s.database->prepare("SELECT event, sequence, digest, size FROM "
                                                   "snapshots ORDER BY event"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return list;
      list.push_back(
          {row.number_at(0), row.number_at(1), std::string(row.text_at(2)), row.number_at(3)});
    }
  });
}

Result<std::optional<Snapshot>> JournalReader::newest_snapshot(std::uint64_t at_most_event) {
  return ask([&](State& s) -> Result<std::optional<Snapshot>> {
    PACO_TRY(s.database->run("BEGIN"));
    const Rollback rollback(*s.database);
    PACO_ASSIGN(Statement row,
                s.database->prepare("SELECT event, sequence, digest, size, checksum FROM snapshots "
                                    "WHERE event <= ?1 ORDER BY event DESC LIMIT 1"));
    // The file stores event numbers with 63 bits.
    constexpr std::uint64_t kLast = std::uint64_t(-1) >> 1;
    PACO_ASSIGN(const bool found, row.bind(std::min(at_most_event, kLast)).step());
    if (!found) return std::optional<Snapshot>{};
    PACO_ASSIGN(Snapshot snapshot, read_snapshot(*s.database, row));
    return std::optional(std::move(snapshot));
  });
}

Result<JournalInfo> JournalReader::info() {
  return ask([&](State& s) -> Result<JournalInfo> {
    JournalInfo info;
    PACO_ASSIGN(info.tail, tail());
    PACO_ASSIGN(
        Statement row,
        s.database->prepare(
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
    info.created = s.header.settings.created;
    PACO_ASSIGN(info.file_bytes, core::file_size(s.path));
    info.log_bytes = log_bytes(s.path);
    PACO_ASSIGN(const std::int64_t free_pages, s.database->number("PRAGMA freelist_count"));
    PACO_ASSIGN(const std::int64_t page_bytes, s.database->number("PRAGMA page_size"));
    info.free_bytes = static_cast<std::uint64_t>(free_pages * page_bytes);
    return info;
  });
}

}  // namespace paco::journal
