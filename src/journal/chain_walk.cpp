// The walk along the chain of events, and its comparison with what was acknowledged; declared in
// check.hpp.
#include <fmt/format.h>

#include <algorithm>

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
  Walk(const JournalHeader& header, Statement samples, Statement operations)
      : settings_(header.settings),
        samples_(std::move(samples)),
        operations_(std::move(operations)) {
    walk_.tail.chain = header.chain_start;
  }

  Result<ChainWalk> run(core::Progress& progress, const std::stop_token& stop) {
    const Result<void> walked = follow(progress, stop);
    // A page that cannot be read is damage to the next event.
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
      const std::uint64_t event = walk_.tail.events;
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
      if (walk_.tail.events % kBetweenChecks == 0) {
        progress.update(walk_.tail.events);
        if (stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      }
    }
    return {};
  }

  void bad(std::string problem) {
    walk_.first_bad = walk_.tail.events;
    walk_.problem = std::move(problem);
  }

  bool take_sample() {
    const bool has_types = is_sample(samples_, settings_);
    read_sample(samples_, settings_.evidence.size(), sample_);
    if (sample_.event != walk_.tail.events || sample_.sequence != walk_.tail.samples) {
      bad(fmt::format("sample {} is expected, and sample {} is there as event {}",
                      walk_.tail.samples, sample_.sequence, sample_.event));
      return false;
    }
    const std::uint64_t link =
        sample_link(fields_, walk_.tail.chain, sample_, sample_.evidence, sample_.key,
                    sample_.sample, embedding_of_sample(samples_));
    if (!has_types || link != chain_of_sample(samples_)) {
      bad(fmt::format("the checksum of sample {} does not match", sample_.sequence));
      return false;
    }
    walk_.tail.chain = link;
    ++walk_.tail.samples;
    ++walk_.tail.events;
    return true;
  }

  bool take_operation() {
    const bool has_types = is_operation(operations_);
    const OperationRow row = read_operation(operations_);
    const std::uint64_t link = operation_link(fields_, walk_.tail.chain, row);
    if (!has_types || row.sequence != walk_.tail.samples ||
        link != chain_of_operation(operations_)) {
      bad(fmt::format("the checksum of the operation '{}' does not match", row.kind));
      return false;
    }
    walk_.tail.chain = link;
    ++walk_.tail.operations;
    ++walk_.tail.events;
    return true;
  }

  const JournalSettings& settings_;
  Statement samples_, operations_;
  StoredSample sample_;
  FieldSum fields_;
  ChainWalk walk_;
};

}  // namespace

Result<ChainWalk> walk_chain(Database& database, const JournalHeader& header,
                             core::Progress& progress, const std::stop_token& stop) {
  PACO_ASSIGN(Statement samples,
              database.prepare(select_samples(header.settings) + "ORDER BY sequence"));
  PACO_ASSIGN(Statement operations,
              database.prepare(std::string(kSelectOperations) + "ORDER BY event"));
  return Walk(header, std::move(samples), std::move(operations)).run(progress, stop);
}

Result<void> check_acknowledged(Database& database, const JournalHeader& header,
                                const JournalTail& tail,
                                const std::optional<Acknowledged>& record) {
  if (!record || record->journal != header.chain_start || record->events == 0) return {};
  const std::string& path = database.path();
  const std::string without = fmt::format(
      "put back '{0}' and '{0}-wal' of one copy; or go on without these events: remove '{1}'", path,
      acknowledged_path(path));
  if (record->events > tail.events) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: {} events were acknowledged and {} are there: the end of its log "
                             "is damaged or lost",
                             path, record->events, tail.events),
                 without};
  }
  const std::uint64_t last = record->events - 1;
  PACO_ASSIGN(const std::int64_t chain,
              database.number(fmt::format(
                  "SELECT chain FROM samples WHERE event = {0} AND sequence BETWEEN {1} AND {0} "
                  "UNION ALL SELECT chain FROM operations WHERE event = {0}",
                  last, last - std::min(last, tail.operations))));
  if (static_cast<std::uint64_t>(chain) == record->chain) return {};
  return Error{ErrorCode::bad_format,
               fmt::format("{}: event {} is another one than was acknowledged", path, last),
               without};
}

}  // namespace paco::journal
