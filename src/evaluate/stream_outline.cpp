#include "evaluate/stream_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/try.hpp"

namespace paco::evaluate {
namespace {

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order) {
  if (values.size() != order.size()) return;  // the file does not have this column
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t row : order) sorted.push_back(std::move(values[row]));
  values = std::move(sorted);
}

void sort_by_arrival(io::DecisionTable& table) {
  const auto earlier = [](const Decision& a, const Decision& b) { return a.sequence < b.sequence; };
  if (std::is_sorted(table.decisions.begin(), table.decisions.end(), earlier)) return;
  std::vector<std::size_t> order(table.decisions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return earlier(table.decisions[a], table.decisions[b]);
  });
  reorder(table.samples, order);
  reorder(table.names, order);
  reorder(table.decisions, order);
}

// Names by id. An id much larger than the number of decisions cannot be an order of birth.
std::vector<std::string> by_id(std::unordered_map<CategoryId, std::string> found,
                               std::size_t decisions) {
  std::vector<std::string> names;
  for (auto& [category, name] : found) {
    const auto id = static_cast<std::size_t>(category);
    if (category < 0 || id > decisions + (1 << 20)) continue;
    if (id >= names.size()) names.resize(id + 1);
    names[id] = std::move(name);
  }
  return names;
}

// Takes rows in the order of their numbers. `ordered` is set to false if they are not in order;
// then the result is not usable.
Result<StreamOutline> outline_in_order(const std::string& path,
                                       const std::optional<KnownClaim>& claim, bool& ordered) {
  PACO_ASSIGN(io::DecisionReader reader, io::DecisionReader::open(path));
  StreamOutline outline;
  outline.detailed = reader.detailed();
  std::optional<KnownCheck> check;
  if (claim && outline.detailed) check.emplace(*claim, path);
  std::unordered_map<CategoryId, std::string> names;
  io::DecidedSample row;
  ordered = true;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    const std::uint64_t sequence = row.sequence;
    const std::size_t seen = outline.categories.size();
    if (seen == 0) outline.first = sequence;
    ordered = sequence == outline.first + seen;
    if (!ordered) return outline;
    if (check) PACO_TRY(check->see(row, row.name));
    outline.categories.push_back(row.category);
    std::string& name = names[row.category];
    if (name != row.name) name = row.name;
    if (outline.samples.empty() && row.sample != std::to_string(sequence)) {
      for (std::size_t i = 0; i < seen; ++i)
        outline.samples.push_back(std::to_string(outline.first + i));
      outline.samples.push_back(row.sample);
    } else if (!outline.samples.empty()) {
      outline.samples.push_back(row.sample);
    }
  }
  if (check) PACO_TRY(check->conclude());
  outline.names = by_id(std::move(names), outline.categories.size());
  return outline;
}

}  // namespace

Result<io::DecisionTable> read_stream_decisions(const std::string& path) {
  PACO_ASSIGN(io::DecisionTable table, io::read_decisions(path));
  sort_by_arrival(table);
  for (std::size_t i = 1; i < table.decisions.size(); ++i) {
    PACO_TRY(check_follows(table.decisions[i - 1].sequence, table.decisions[i].sequence, path));
  }
  return table;
}

Result<void> check_follows(std::uint64_t before, std::uint64_t present, const std::string& path) {
  if (present == before) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: two decisions have the sequence number {}", path, present),
                 "give the decisions of one stream, each once"};
  }
  if (present != before + 1) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: after the decision with sequence number {} comes {}", path,
                             before, present),
                 "give all decisions of the stream: numbers in between are missing"};
  }
  return {};
}

Error KnownCheck::mismatch(std::uint64_t sequence, const std::string& what) const {
  return {ErrorCode::mismatch,
          fmt::format("{}: the decision with sequence number {} {}", path_, sequence, what),
          fmt::format("check that {} belongs to these decisions", claim_.source)};
}

// Operations can change things during the stream: a promoted category is a known class from then
// on, a merged or adopted category gives the answer of a class, and classes are renamed. Anything
// that cannot result from such operations is refused.
Result<void> KnownCheck::see(const Decision& decision, const std::string& name) {
  const bool known = decision.verdict == Verdict::known;
  const bool below =
      decision.category >= 0 && static_cast<std::uint64_t>(decision.category) < claim_.classes;
  if (!known && decision.verdict != Verdict::tentative) discovered_.insert(decision.category);
  const bool promoted = known && !below && discovered_.contains(decision.category);
  if (known != below && !promoted && decision.verdict != Verdict::tentative) {
    return mismatch(decision.sequence,
                    fmt::format("has {} {}, but {} gives {} known classes",
                                known ? "the known class" : "the category", decision.category,
                                claim_.source, claim_.classes));
  }
  if (!known || !below || claim_.names.empty() || right_name_) return {};
  const std::string& expected = claim_.names[static_cast<std::size_t>(decision.category)];
  right_name_ = name == expected;
  if (!right_name_ && !misnamed_) {
    misnamed_ =
        mismatch(decision.sequence, fmt::format("calls class {} '{}', but {} calls it '{}'",
                                                decision.category, name, claim_.source, expected));
  }
  return {};
}

Result<void> KnownCheck::conclude() const {
  if (misnamed_ && !right_name_) return *misnamed_;
  return {};
}

Result<void> check_known(const io::DecisionTable& decisions, const std::string& path,
                         const KnownClaim& claim) {
  if (!decisions.detailed) return {};
  KnownCheck check(claim, path);
  for (std::size_t i = 0; i < decisions.decisions.size(); ++i)
    PACO_TRY(check.see(decisions.decisions[i], decisions.names[i]));
  return check.conclude();
}

Result<StreamOutline> read_outline(const std::string& path,
                                   const std::optional<KnownClaim>& claim) {
  bool ordered = false;
  if (path != "-") {  // which cannot be read twice
    PACO_ASSIGN(StreamOutline outline, outline_in_order(path, claim, ordered));
    if (ordered) return outline;
  }
  PACO_ASSIGN(io::DecisionTable table, read_stream_decisions(path));
  if (claim) PACO_TRY(check_known(table, path, *claim));
  StreamOutline outline;
  outline.detailed = table.detailed;
  outline.samples = std::move(table.samples);
  std::unordered_map<CategoryId, std::string> names;
  for (std::size_t i = 0; i < table.decisions.size(); ++i) {
    if (i == 0) outline.first = table.decisions[0].sequence;
    outline.categories.push_back(table.decisions[i].category);
    names[table.decisions[i].category] = std::move(table.names[i]);
  }
  outline.names = by_id(std::move(names), outline.categories.size());
  return outline;
}

StreamExtent extent_of(const StreamOutline& outline) {
  return {outline.first, outline.categories.size(), outline.detailed};
}

Result<void> check_same_stream(const StreamExtent& decisions, const std::string& path,
                               const StreamExtent& other, const std::string& other_path) {
  if (decisions.count != other.count) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} decisions, {} has {}", other_path, other.count, path,
                             decisions.count),
                 "run both methods over the same stream"};
  }
  if (decisions.count == 0 || !decisions.detailed || !other.detailed) return {};
  if (decisions.first == other.first) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("{} begins with sequence number {}, {} with {}", other_path, other.first,
                           path, decisions.first),
               "run both methods over the same stream"};
}

}  // namespace paco::evaluate
