// The full inspection of a journal: the chain of events, then everything outside it.
#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/check.hpp"
#include "journal/checksum.hpp"
#include "journal/columns.hpp"
#include "journal/embedding_run.hpp"

namespace paco::journal {
namespace {

class Inspection {
 public:
  Inspection(Database& database, const JournalHeader& header,
             const std::optional<Acknowledged>& record, JournalReport& report,
             core::Progress& progress, const std::stop_token& stop)
      : database_(database),
        header_(header),
        record_(record),
        report_(report),
        progress_(progress),
        stop_(stop) {}

  // Damage that SQLite reports is a result of the inspection, not a failure of it.
  Result<void> run() {
    using Step = Result<void> (Inspection::*)();
    for (const Step step :
         {&Inspection::chain, &Inspection::pages, &Inspection::model, &Inspection::categories,
          &Inspection::prototypes, &Inspection::moved, &Inspection::extras, &Inspection::sources,
          &Inspection::arrivals, &Inspection::support_pictures, &Inspection::embeddings,
          &Inspection::snapshots}) {
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
  Result<void> check_stop() const {
    if (stop_.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
    return {};
  }

  Result<void> chain() {
    progress_.start("events", "events", std::nullopt);
    PACO_ASSIGN(const ChainWalk walk,
                walk_chain(database_, header_, WalkFrom::start, progress_, stop_));
    progress_.finish();
    const JournalTail& tail = walk.checked.tail;
    report_.events = tail.events;
    report_.samples = tail.samples;
    report_.operations = tail.operations;
    report_.first_bad = walk.first_bad;
    if (walk.first_bad) return bad(walk.problem);
    PACO_TRY(check_acknowledged(database_, header_, tail, record_));
    PACO_TRY(check_keys(database_, walk.checked));
    return check_stop();
  }

  Result<void> pages() {
    PACO_ASSIGN(Statement row, database_.prepare("PRAGMA integrity_check(1)"));
    PACO_ASSIGN(const bool found, row.step());
    if (!found || row.text_at(0) != "ok")
      return bad(fmt::format("its pages are damaged: {}", row.text_at(0)));
    return check_stop();
  }

  Result<void> model() {
    PACO_TRY(read_model(database_, header_.model));
    return check_stop();
  }

  Result<void> categories() {
    PACO_ASSIGN(Statement row, database_.prepare(kSelectCategories));
    for (categories_ = 0;; ++categories_) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) break;
      const bool is_valid = is_category(row);
      const CategoryRow category = read_category(row);
      if (category.id != categories_)
        return bad(fmt::format("category {} is missing", categories_));
      if (!is_valid || category_sum(fields_, category) != checksum_of_category(row))
        return bad(fmt::format("the checksum of category {} does not match", category.id));
    }
    PACO_ASSIGN(const std::int64_t unknown,
                database_.number(fmt::format(
                    "SELECT count(*) FROM category_rows WHERE now < 0 OR now >= {}", categories_)));
    if (unknown != 0) return bad("a category forwards to one that is missing");
    return check_stop();
  }

  Result<void> prototypes() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT id, category, checksum FROM prototypes"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      const std::int64_t id = row.integer_at(0), owner = row.integer_at(1);
      if (!row.has_types("iii") || prototype_sum(fields_, id, owner) != row.number_at(2))
        return bad(fmt::format("the checksum of prototype {} does not match", id));
      if (owner < 0 || owner >= categories_)
        return bad(
            fmt::format("prototype {} is owned by category {}, which is missing", id, owner));
    }
  }

  Result<void> moved() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT sequence, prototype, counted, checksum "
                                                 "FROM moved"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      const Membership where{row.number_at(0), row.integer_at(1), row.integer_at(2) != 0};
      if (!row.has_types("iiii") || row.number_at(2) > 1 ||
          membership_sum(fields_, where) != row.number_at(3)) {
        return bad(fmt::format("the checksum of moved sample {} does not match", where.sequence));
      }
      if (where.sequence >= report_.samples)
        return bad(fmt::format("sample {} is moved and missing", where.sequence));
    }
  }

  Result<void> sources() {
    PACO_ASSIGN(Statement row, database_.prepare(kSelectSources));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      if (!read_source(row, fields_)) return bad("the checksum of a source does not match");
    }
  }

  Result<void> arrivals() {
    PACO_ASSIGN(Statement row,
                database_.prepare("SELECT first_sequence, time, checksum FROM arrivals"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      const bool has_types = row.has_types("iii");
      const Arrival arrival{row.number_at(0), row.integer_at(1)};
      if (!has_types || arrival_sum(fields_, arrival) != row.number_at(2))
        return bad(fmt::format("the checksum of when sample {} came does not match",
                               arrival.first_sequence));
      if (arrival.first_sequence >= report_.samples)
        return bad(fmt::format("sample {} came and is missing", arrival.first_sequence));
    }
  }

  Result<void> support_pictures() {
    PACO_ASSIGN(
        Statement row,
        database_.prepare("SELECT category, position, picture, checksum FROM support_pictures"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      const bool has_types = row.has_types("iibi");
      const std::span<const std::byte> bytes = row.blob_at(2);
      const SupportPicture one{row.integer_at(0),
                               row.number_at(1),
                               {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
      if (!has_types || support_picture_sum(fields_, one) != row.number_at(3))
        return bad(fmt::format("the checksum of picture {} of category {} does not match",
                               one.position, one.category));
    }
  }

  Result<void> extras() {
    PACO_ASSIGN(Statement row, database_.prepare("SELECT sequence, attributes, picture, checksum "
                                                 "FROM extras"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return check_stop();
      const bool has_types = row.has_types("itBi");
      const std::uint64_t sequence = row.number_at(0);
      const std::span<const std::byte> picture = row.blob_at(2);
      const std::uint64_t sum =
          extras_sum(fields_, sequence, row.text_at(1),
                     {reinterpret_cast<const char*>(picture.data()), picture.size()});
      if (!has_types || sum != row.number_at(3)) {
        return bad(fmt::format("the checksum of the extras of sample {} does not match", sequence));
      }
      if (sequence >= report_.samples)
        return bad(fmt::format("sample {} has extras and is missing", sequence));
    }
  }

  Result<void> embeddings() {
    const std::size_t dimension = header_.settings.dimension;
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
      sample.bind(first, count);
      for (std::uint64_t i = 0; i < count; ++i) {
        PACO_ASSIGN(const bool there, sample.step());
        io::to_doubles(*type, false, bytes.data() + i * row_bytes, row);
        if (!there || sample.optional_at(1) != embedding_checksum(row)) {
          sample.reset();
          return bad_sample(first + i, fmt::format("the checksum of the embedding of sample {} "
                                                   "does not match",
                                                   first + i));
        }
      }
      sample.reset();
      report_.embeddings += count;
      progress_.update(next);
      PACO_TRY(check_stop());
    }
    progress_.finish();
    return none_missing(first_kept);
  }

  // The journal must keep the embeddings of the last samples without a gap, including all that
  // opening needs: those since the newest snapshot.
  Result<void> none_missing(std::uint64_t first_kept) {
    PACO_ASSIGN(const std::int64_t snapshot,
                database_.number("SELECT coalesce(max(sequence), 0) FROM snapshots"));
    first_kept = std::min(first_kept, static_cast<std::uint64_t>(snapshot));
    PACO_ASSIGN(const std::int64_t had,
                database_.number(fmt::format("SELECT count(embedding) FROM samples WHERE sequence "
                                             ">= {}",
                                             static_cast<std::int64_t>(first_kept))));
    if (static_cast<std::uint64_t>(had) != report_.embeddings)
      return bad(fmt::format("{} samples from {} on had an embedding, and {} are there", had,
                             first_kept, report_.embeddings));
    return check_stop();
  }

  Result<void> snapshots() {
    PACO_ASSIGN(Statement row,
                database_.prepare("SELECT event, sequence, digest, size, checksum FROM snapshots "
                                  "ORDER BY event"));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) break;
      PACO_TRY(read_snapshot(database_, row));
      ++report_.snapshots;
      PACO_TRY(check_stop());
    }
    PACO_ASSIGN(const std::int64_t unknown,
                database_.number("SELECT count(*) FROM snapshot_parts WHERE event NOT IN (SELECT "
                                 "event FROM snapshots)"));
    return unknown == 0 ? Result<void>{} : bad("it holds a part of no snapshot");
  }

  Database& database_;
  const JournalHeader& header_;
  const std::optional<Acknowledged>& record_;
  JournalReport& report_;
  core::Progress& progress_;
  const std::stop_token& stop_;
  FieldSum fields_;
  std::int64_t categories_ = 0;
};

}  // namespace

Result<JournalReport> inspect(Database& database, bool may_lack_log, core::Progress& progress,
                              const std::stop_token& stop) {
  JournalReport report;
  const auto finding = [&](const Error& error) -> Result<JournalReport> {
    if (error.code != ErrorCode::bad_format) return error;
    report.ok = false;
    report.problem = error.message;
    return report;
  };
  const Result<std::optional<Acknowledged>> record = read_acknowledged(database.path());
  if (!record.ok()) return finding(record.error());
  PACO_TRY(database.run("BEGIN"));
  const Rollback rollback(database);
  Result<JournalHeader> header = read_header(database);
  if (!header.ok()) return finding(header.error());
  header->lacks_log = header->needs_log && may_lack_log;
  PACO_TRY(Inspection(database, *header, *record, report, progress, stop).run());
  return report;
}

}  // namespace paco::journal
