#include "evaluate/companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/try.hpp"

namespace paco {
namespace {

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order) {
  if (values.size() != order.size()) return;  // this column is not in the file
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t row : order) sorted.push_back(std::move(values[row]));
  values = std::move(sorted);
}

void sort_by_arrival(DecisionTable& table) {
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

}  // namespace

Result<DecisionTable> read_stream_decisions(const std::string& path) {
  PACO_ASSIGN(DecisionTable table, read_decisions(path));
  sort_by_arrival(table);
  for (std::size_t i = 1; i < table.decisions.size(); ++i) {
    const std::uint64_t before = table.decisions[i - 1].sequence;
    const std::uint64_t present = table.decisions[i].sequence;
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
  }
  return table;
}

Result<void> check_known(const DecisionTable& decisions, const std::string& path,
                         const KnownClaim& claim) {
  if (!decisions.detailed) return {};
  const auto mismatch = [&](const Decision& decision, const std::string& what) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: the decision with sequence number {} {}", path, decision.sequence, what),
        fmt::format("check that {} belongs to these decisions", claim.source)};
  };
  // People may have changed things on the way: a category that was promoted is a known class from
  // then on, one that was merged or taken in answers with a class, and classes get other names.
  // What cannot come of that is refused.
  std::set<CategoryId> discovered;
  bool any_name = false, right_name = false;
  const Decision* misnamed = nullptr;
  for (std::size_t i = 0; i < decisions.decisions.size(); ++i) {
    const Decision& decision = decisions.decisions[i];
    const bool known = decision.verdict == Verdict::known;
    const bool below =
        decision.category >= 0 && static_cast<std::uint64_t>(decision.category) < claim.classes;
    if (!known && decision.verdict != Verdict::tentative) discovered.insert(decision.category);
    const bool promoted = known && !below && discovered.contains(decision.category);
    if (known != below && !promoted && decision.verdict != Verdict::tentative) {
      return mismatch(decision, fmt::format("has {} {}, but {} gives {} known classes",
                                            known ? "the known class" : "the category",
                                            decision.category, claim.source, claim.classes));
    }
    if (!known || !below || claim.names.empty() || i >= decisions.names.size()) continue;
    any_name = true;
    if (decisions.names[i] == claim.names[static_cast<std::size_t>(decision.category)]) {
      right_name = true;
    } else if (misnamed == nullptr) {
      misnamed = &decision;
    }
  }
  if (any_name && !right_name) {
    const auto row = static_cast<std::size_t>(misnamed - decisions.decisions.data());
    return mismatch(*misnamed,
                    fmt::format("calls class {} '{}', but {} calls it '{}'", misnamed->category,
                                decisions.names[row], claim.source,
                                claim.names[static_cast<std::size_t>(misnamed->category)]));
  }
  return {};
}

Result<void> check_same_stream(const DecisionTable& decisions, const std::string& path,
                               const DecisionTable& other, const std::string& other_path) {
  const std::size_t n = decisions.decisions.size(), m = other.decisions.size();
  if (n != m) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} decisions, {} has {}", other_path, m, path, n),
                 "run both methods over the same stream"};
  }
  if (n == 0 || !decisions.detailed || !other.detailed) return {};
  // Numbers follow each other without gaps, so the first tells all.
  const std::uint64_t first = decisions.decisions.front().sequence;
  const std::uint64_t other_first = other.decisions.front().sequence;
  if (first == other_first) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("{} begins with sequence number {}, {} with {}", other_path, other_first,
                           path, first),
               "run both methods over the same stream"};
}

}  // namespace paco
