// The full inspection of a journal: the chain of events, then all that is not in it.
#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/check.hpp"
#include "journal/checksum.hpp"
#include "journal/embedding_run.hpp"

namespace paco::journal {
namespace {

class Inspection {
 public:
  Inspection(Database& database, const Opened& opened, JournalReport& report,
             core::Progress& progress, const std::stop_token& stop)
      : database_(database),
        settings_(opened.settings),
        opened_(opened),
        report_(report),
        progress_(progress),
        stop_(stop) {}

  // Damage that SQLite finds by itself is a finding too, not a failure of the inspection.
  Result<void> run() {
    using Step = Result<void> (Inspection::*)();
    for (const Step step : {&Inspection::chain, &Inspection::pages, &Inspection::model,
                            &Inspection::categories, &Inspection::prototypes, &Inspection::moved,
                            &Inspection::extras, &Inspection::embeddings, &Inspection::snapshots}) {
      const Result<void> result = (this->*step)();
      if (!result.ok() && result.error().code != ErrorCode::bad_format) return result;
      if (!result.ok()) return bad(result.error().message);
      if (!report_.ok) break;
    }
    return {};
  }

 private:
  Result<void> bad(std::string problem) {
    report_.ok = false;
    report_.problem = std::move(problem);
    return {};
  }
  Result<void> bad_sample(std::uint64_t sequence, std::string problem) {
    PACO_ASSIGN(const std::int64_t event,
                database_.number(fmt::format("SELECT event FROM samples WHERE sequence = {}",
                                             static_cast<std::int64_t>(sequence))));
    report_.first_bad = static_cast<std::uint64_t>(event);
    return bad(std::move(problem));
  }
  Result<void> look() const {
    if (stop_.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
    return {};
  }

  Result<void> chain() {
    progress_.start("events", "events", std::nullopt);
    PACO_ASSIGN(const ChainWalk walk, walk_chain(database_, opened_, progress_, stop_));
    progress_.finish();
    report_.events = walk.tail.events;
    report_.samples = walk.tail.samples;
    report_.operations = walk.tail.operations;
    report_.first_bad = walk.first_bad;
    return walk.first_bad ? bad(walk.problem) : look();
  }

  Result<void> pages() {
    PACO_ASSIGN(Statement row, database_.prepare("PRAGMA integrity_check(1)"));
    PACO_ASSIGN(const bool found, row.step());
    if (!found || row.text_at(0) != "ok")
      return bad(fmt::format("its pages are damaged: {}", row.text_at(0)));
    return look();
  }

  Result<void> model() {
    std::uint64_t parts = 0;
    PartsSum sum;
    PACO_ASSIGN(Statement part, database_.prepare("SELECT part, bytes FROM model ORDER BY part"));
    for (;;) {
      PACO_ASSIGN(const bool found, part.step());
      if (!found) break;
      if (!part.has_types("ib") || part.number_at(0) != parts++)
        return bad("its model has other parts than it was stored in");
      sum.add(part.blob_at(1));
    }
    return sum.sum() == opened_.model ? look() : bad("the checksum of its model does not hold");
  }

  Result<void> categories() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT id, name, kind, now, retired, born, "
                                                 "checksum FROM category_rows ORDER BY id"));
    for (categories_ = 0;; ++categories_) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) break;
      const bool has_types = row.has_types("ittiiii");
      const CategoryRow category{row.integer_at(0),
                                 std::string(row.text_at(1)),
                                 std::string(row.text_at(2)),
                                 row.integer_at(3),
                                 row.integer_at(4) != 0,
                                 row.number_at(5),
                                 {}};
      if (category.id != categories_)
        return bad(fmt::format("category {} is missing", categories_));
      if (!has_types || row.number_at(4) > 1 || category_sum(fields_, category) != row.number_at(6))
        return bad(fmt::format("the checksum of category {} does not hold", category.id));
    }
    PACO_ASSIGN(const std::int64_t unknown,
                database_.number(fmt::format(
                    "SELECT count(*) FROM category_rows WHERE now < 0 OR now >= {}", categories_)));
    if (unknown != 0) return bad("a category forwards to one that there is not");
    return look();
  }

  Result<void> prototypes() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT id, category, checksum FROM prototypes"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return look();
      const std::int64_t id = row.integer_at(0), owner = row.integer_at(1);
      if (!row.has_types("iii") || prototype_sum(fields_, id, owner) != row.number_at(2))
        return bad(fmt::format("the checksum of prototype {} does not hold", id));
      if (owner < 0 || owner >= categories_)
        return bad(
            fmt::format("prototype {} is owned by category {}, which there is not", id, owner));
    }
  }

  Result<void> moved() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT sequence, prototype, counted, checksum "
                                                 "FROM moved"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return look();
      const Membership where{row.number_at(0), row.integer_at(1), row.integer_at(2) != 0};
      if (!row.has_types("iiii") || row.number_at(2) > 1 ||
          membership_sum(fields_, where) != row.number_at(3)) {
        return bad(fmt::format("the checksum of moved sample {} does not hold", where.sequence));
      }
      if (where.sequence >= report_.samples)
        return bad(fmt::format("sample {} is moved, which there is not", where.sequence));
    }
  }

  Result<void> extras() {
    if (opened_.version < 2) return {};
    PACO_ASSIGN(Statement row, database_.prepare("SELECT sequence, attributes, picture, checksum "
                                                 "FROM extras"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return look();
      const std::span<const std::byte> picture = row.blob_at(2);
      const Extras stored{
          row.number_at(0), std::string(row.text_at(1)),
          std::string(reinterpret_cast<const char*>(picture.data()), picture.size()),
          !row.is_null(2)};
      if (!row.has_types("itBi") || extras_sum(fields_, stored) != row.number_at(3)) {
        return bad(fmt::format("the checksum of what sample {} brought along does not hold",
                               stored.sequence));
      }
      if (stored.sequence >= report_.samples)
        return bad(fmt::format("sample {} brought something, and is not there", stored.sequence));
    }
  }

  Result<void> embeddings() {
    const std::size_t dimension = settings_.dimension;
    PACO_ASSIGN(Statement run, database_.prepare("SELECT first_sequence, count, type, bytes FROM "
                                                 "embeddings ORDER BY first_sequence"));
    PACO_ASSIGN(Statement sample,
                database_.prepare("SELECT sequence, embedding FROM samples WHERE sequence >= ?1 "
                                  "ORDER BY sequence LIMIT ?2"));
    std::vector<double> row(dimension);
    std::uint64_t next = 0;  // the sample after the run before
    std::uint64_t first_kept = report_.samples;
    progress_.start("embeddings", "samples", report_.samples);
    for (;;) {
      PACO_ASSIGN(const bool found, run.step());
      if (!found) break;
      const std::uint64_t first = run.number_at(0), count = run.number_at(1);
      const bool has_types = run.has_types("iitb");
      const auto type = run_type(database_.path(), run.text_at(2));
      const std::span<const std::byte> bytes = run.blob_at(3);
      const std::size_t row_bytes = type.ok() ? dimension * io::element_size(*type) : 0;
      if (!has_types || !type.ok() || first < next || first >= report_.samples || count == 0 ||
          count > report_.samples - first || bytes.size() != count * row_bytes) {
        return bad(fmt::format("the embeddings of sample {} on are damaged", first));
      }
      next = first + count;
      first_kept = std::min(first_kept, first);
      sample.integer(first).integer(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        PACO_ASSIGN(const bool there, sample.step());
        io::to_doubles(*type, false, bytes.data() + i * row_bytes, row);
        if (!there || sample.optional_at(1) != embedding_checksum(row)) {
          sample.reset();
          return bad_sample(first + i, fmt::format("the checksum of the embedding of sample {} "
                                                   "does not hold",
                                                   first + i));
        }
      }
      sample.reset();
      report_.embeddings += count;
      progress_.update(next);
      PACO_TRY(look());
    }
    progress_.finish();
    return none_missing(first_kept);
  }

  // What is kept are the embeddings of the last samples, without a gap.
  Result<void> none_missing(std::uint64_t first_kept) {
    PACO_ASSIGN(const std::int64_t had,
                database_.number(fmt::format("SELECT count(embedding) FROM samples WHERE sequence "
                                             ">= {}",
                                             static_cast<std::int64_t>(first_kept))));
    if (static_cast<std::uint64_t>(had) != report_.embeddings)
      return bad(fmt::format("{} samples from {} on had an embedding, and {} are there", had,
                             first_kept, report_.embeddings));
    return look();
  }

  Result<void> snapshots() {
    PACO_ASSIGN(Statement row,
                database_.prepare("SELECT event, sequence, digest, size, first_part, checksum FROM "
                                  "snapshots ORDER BY event"));
    PACO_ASSIGN(Statement part, database_.prepare("SELECT bytes, part FROM snapshot_parts WHERE "
                                                  "event = ?1 ORDER BY part"));
    std::uint64_t parts = 0;
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) break;
      const bool has_types = row.has_types("iitiii");
      const SnapshotInfo info{row.number_at(0), row.number_at(1), std::string(row.text_at(2)),
                              row.number_at(3)};
      PartsSum sum;
      std::uint64_t size = 0;
      std::int64_t next = row.integer_at(4);
      part.integer(info.event);
      for (bool in_order = has_types; in_order; ++parts) {
        PACO_ASSIGN(const bool more, part.step());
        if (!more) break;
        in_order = part.has_types("bi") && part.integer_at(1) == next++;
        size += part.blob_at(0).size();
        sum.add(part.blob_at(0));
      }
      part.reset();
      if (!has_types || size != info.size ||
          snapshot_sum(fields_, info, sum.sum()) != row.number_at(5)) {
        return bad(
            fmt::format("the checksum of the snapshot at event {} does not hold", info.event));
      }
      ++report_.snapshots;
      PACO_TRY(look());
    }
    PACO_ASSIGN(const std::int64_t all, database_.number("SELECT count(*) FROM snapshot_parts"));
    if (static_cast<std::uint64_t>(all) != parts) return bad("it holds a part of no snapshot");
    return {};
  }

  Database& database_;
  const JournalSettings& settings_;
  const Opened& opened_;
  JournalReport& report_;
  core::Progress& progress_;
  const std::stop_token& stop_;
  FieldSum fields_;
  std::int64_t categories_ = 0;
};

}  // namespace

Result<JournalReport> inspect(Database& database, core::Progress& progress,
                              const std::stop_token& stop) {
  JournalReport report;
  PACO_TRY(database.run("BEGIN"));
  const Rollback rollback(database);
  const Result<Opened> opened = read_settings(database);
  if (!opened.ok() && opened.error().code != ErrorCode::bad_format) return opened.error();
  if (!opened.ok()) {
    report.ok = false;
    report.problem = opened.error().message;
    return report;
  }
  PACO_TRY(Inspection(database, *opened, report, progress, stop).run());
  return report;
}

}  // namespace paco::journal
