// Walks along the chain of events and compares it with the acknowledged events; declared in
// check.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/check.hpp"
#include "journal/checksum.hpp"
#include "journal/columns.hpp"

namespace paco::journal {
namespace {

constexpr std::uint64_t kBetweenChecks = 4096;  // events between checks of the stop token

// Reads both tables side by side, in the order of events.
class Walk {
 public:
  Walk(const JournalHeader& header, const CheckedTail& from, Statement samples,
       Statement operations)
      : settings_(header.settings),
        mark_(header.checked),
        samples_(std::move(samples)),
        operations_(std::move(operations)) {
    walk_.checked = from;
  }

  Result<ChainWalk> run(core::Progress& progress, const std::stop_token& stop) {
    const Result<void> walked = follow(progress, stop);
    // A page that cannot be read counts as damage to the next event.
    if (!walked.ok() && walked.error().code == ErrorCode::bad_format)
      bad(walked.error().message);
    else if (!walked.ok())
      return walked.error();
    return std::move(walk_);
  }

 private:
  Result<void> follow(core::Progress& progress, const std::stop_token& stop) {
    PACO_ASSIGN(bool has_sample, samples_.step());
    PACO_ASSIGN(bool has_operation, operations_.step());
    while (has_sample || has_operation) {
      const std::uint64_t event = walk_.checked.tail.events;
      if (has_operation && operations_.number_at(0) == event) {
        if (!take_operation()) return {};
        PACO_ASSIGN(has_operation, operations_.step());
      } else if (has_sample) {
        if (!take_sample()) return {};
        PACO_ASSIGN(has_sample, samples_.step());
      } else {
        bad(fmt::format("it is missing, and operation {} follows", operations_.number_at(0)));
        return {};
      }
      if (walk_.checked.tail.events == mark_.tail.events && walk_.checked != mark_) {
        bad("the events before it are others than those that were checked");
        return {};
      }
      if (walk_.checked.tail.events % kBetweenChecks == 0) {
        progress.update(walk_.checked.tail.events);
        if (stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      }
    }
    if (walk_.checked.tail.events < mark_.tail.events)
      bad(fmt::format("it is missing, and {} events were checked", mark_.tail.events));
    return {};
  }

  void bad(std::string problem) {
    walk_.first_bad = walk_.checked.tail.events;
    walk_.problem = std::move(problem);
  }

  bool take_sample() {
    const bool has_types = is_sample(samples_, settings_);
    read_sample(samples_, settings_.evidence.size(), sample_);
    if (sample_.event != walk_.checked.tail.events ||
        sample_.sequence != walk_.checked.tail.samples) {
      bad(fmt::format("sample {} is expected, and sample {} is there as event {}",
                      walk_.checked.tail.samples, sample_.sequence, sample_.event));
      return false;
    }
    const std::uint64_t link =
        sample_link(fields_, walk_.checked.tail.chain, sample_, settings_.evidence.size(),
                    embedding_of_sample(samples_));
    if (!has_types || link != chain_of_sample(samples_)) {
      bad(fmt::format("the checksum of sample {} does not match", sample_.sequence));
      return false;
    }
    if (!sample_.key.empty()) walk_.checked.keys += key_sum(fields_, sample_.key, sample_.sequence);
    walk_.checked.tail.chain = link;
    ++walk_.checked.tail.samples;
    ++walk_.checked.tail.events;
    return true;
  }

  bool take_operation() {
    const bool has_types = is_operation(operations_);
    const OperationRow row = read_operation(operations_);
    const std::uint64_t link = operation_link(fields_, walk_.checked.tail.chain, row);
    if (!has_types || row.sequence != walk_.checked.tail.samples ||
        link != chain_of_operation(operations_)) {
      bad(fmt::format("the checksum of the operation '{}' does not match", row.kind));
      return false;
    }
    walk_.checked.tail.chain = link;
    ++walk_.checked.tail.operations;
    ++walk_.checked.tail.events;
    return true;
  }

  const JournalSettings& settings_;
  const CheckedTail& mark_;
  Statement samples_, operations_;
  io::DecidedSample sample_;
  FieldSum fields_;
  ChainWalk walk_;
};

}  // namespace

Result<ChainWalk> walk_chain(Database& database, const JournalHeader& header, WalkFrom from,
                             core::Progress& progress, const std::stop_token& stop) {
  CheckedTail start;
  start.tail.chain = header.chain_start;
  if (from == WalkFrom::last_checked && header.checked.tail.events > 0) {
    const JournalTail& tail = header.checked.tail;
    PACO_ASSIGN(const auto chain, chain_after(database, tail.events - 1, tail.operations));
    if (chain != tail.chain) {
      ChainWalk walk;
      walk.first_bad = tail.events - 1;
      walk.problem = chain ? "it is another one than was checked" : "it is missing";
      return walk;
    }
    start = header.checked;
  }
  PACO_ASSIGN(Statement samples, database.prepare(select_samples(header.settings) +
                                                  "WHERE sequence >= ?1 ORDER BY sequence"));
  PACO_ASSIGN(Statement operations, database.prepare(std::string(kSelectOperations) +
                                                     "WHERE event >= ?1 ORDER BY event"));
  samples.bind(from == WalkFrom::start ? std::numeric_limits<std::int64_t>::min()
                                       : static_cast<std::int64_t>(start.tail.samples));
  operations.bind(from == WalkFrom::start ? std::numeric_limits<std::int64_t>::min()
                                          : static_cast<std::int64_t>(start.tail.events));
  return Walk(header, start, std::move(samples), std::move(operations)).run(progress, stop);
}

Result<std::optional<std::uint64_t>> chain_after(Database& database, std::uint64_t event,
                                                 std::uint64_t operations) {
  PACO_ASSIGN(Statement row,
              database.prepare("SELECT chain FROM samples WHERE event = ?1 AND sequence BETWEEN ?2 "
                               "AND ?1 UNION ALL SELECT chain FROM operations WHERE event = ?1"));
  PACO_ASSIGN(const bool found, row.bind(event, event - std::min(event, operations)).step());
  return found ? row.optional_at(0) : std::nullopt;
}

Result<void> check_keys(Database& database, const CheckedTail& checked) {
  const auto refused = [&] {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: the index of keys does not match the samples", database.path()),
                 "'paco journal compact' makes it anew from the samples; copy the journal first"};
  };
  FieldSum fields;
  std::uint64_t wanted = checked.keys, indexed = 0;
  PACO_ASSIGN(Statement row, database.prepare("SELECT key, sequence FROM samples NOT INDEXED WHERE "
                                              "sequence >= ?1 AND key IS NOT NULL"));
  row.bind(checked.tail.samples);
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) break;
    wanted += key_sum(fields, row.text_at(0), row.number_at(1));
  }
  PACO_ASSIGN(Statement entry,
              database.prepare("SELECT key, sequence FROM samples INDEXED BY sample_keys WHERE key "
                               "IS NOT NULL ORDER BY key"));
  std::optional<std::string> before;
  for (;;) {
    const Result<bool> found = entry.step();
    if (!found.ok()) return found.error().code == ErrorCode::bad_format ? refused() : found.error();
    if (!*found) break;
    const std::string_view key = entry.text_at(0);
    if (!entry.has_types("ti") || (before && key <= *before)) return refused();
    indexed += key_sum(fields, key, entry.number_at(1));
    before = key;
  }
  return indexed == wanted ? Result<void>{} : refused();
}

Result<void> check_acknowledged(Database& database, const JournalHeader& header,
                                const JournalTail& tail,
                                const std::optional<Acknowledged>& record) {
  const std::string& path = database.path();
  if (!record && header.lacks_log &&
      core::path_kind(acknowledged_path(path)) == core::PathKind::absent) {
    return Error{
        ErrorCode::bad_format,
        fmt::format("{}: it has {} events, and more may be in its log, which is missing: the "
                    "journal was moved or copied while a program had it, or before it was closed",
                    path, tail.events),
        fmt::format("move the files '-wal' and '-tail' beside it, from where it was, as '{0}-wal' "
                    "and '{0}-tail'; if they are lost, 'paco journal accept' goes on without",
                    path)};
  }
  if (!record || record->journal != header.chain_start || record->events == 0) return {};
  const std::string without = fmt::format(
      "put back '{0}' and '{0}-wal' of one copy; if these events are lost, 'paco "
      "journal accept' goes on without",
      path);
  if (record->events > tail.events) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: {} events were acknowledged and {} are there: the end of its log "
                             "is damaged or lost",
                             path, record->events, tail.events),
                 without};
  }
  PACO_ASSIGN(const auto chain, chain_after(database, record->events - 1, tail.operations));
  if (chain == record->chain) return {};
  return Error{
      ErrorCode::bad_format,
      fmt::format("{}: event {} is another one than was acknowledged", path, record->events - 1),
      without};
}

}  // namespace paco::journal
