#include "insight/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "insight/merges.hpp"

namespace paco::insight {
namespace {

constexpr std::size_t kMostMerges = 20;  // more answers brought no gain
// Converts a score to the share of questions that are right, fitted to the questions of two
// real sets (docs/explanation/questions.md). Questions that are almost never right are not asked.
constexpr double kEvenScore = 4.3, kSteepness = 1.4;
constexpr double kLeastStrength = 0.1;
constexpr std::size_t kMostOfAKind = 10;       // most suggestions of each other kind
constexpr std::int64_t kLeastToName = 3;       // fewest members of a category to name
constexpr std::uint64_t kCloseSamples = 2000;  // newest samples, searched for close decisions
constexpr std::size_t kLeastClose = 100;       // fewest of them with a score and a threshold

}  // namespace

void Diagnostics::suggest() {
  merges();
  unnamed_categories();
  close_decisions();
}

// The destination of a merge is the category with a name, else the larger one.
void Diagnostics::merges() {
  for (const MergeQuestion& question : merge_questions(*facts_.directions, kMostMerges)) {
    const Categories& categories = facts_.view->categories;
    if (!categories.is_live(question.a) || !categories.is_live(question.b)) continue;
    const double strength = 1 / (1 + std::exp(kSteepness * (kEvenScore - question.score)));
    if (strength < kLeastStrength) break;
    const CategoryInfo a = facts_.view->info(question.a), b = facts_.view->info(question.b);
    const bool a_named = is_named(a.id), b_named = is_named(b.id);
    const bool into_a = a_named != b_named ? a_named : a.size >= b.size;
    Suggestion s;
    s.kind = "merge";
    s.id = fmt::format("merge-{}-{}", a.id, b.id);
    s.strength = strength;
    s.reason = fmt::format(
        "members of '{}' ({}) and '{}' ({}) are {:.2f} times as like each other as members of one "
        "category are",
        a.name, a.size, b.name, b.size, question.likeness);
    Operation operation;
    operation.kind = OperationKind::merge;
    operation.category = into_a ? a.id : b.id;
    operation.categories = {into_a ? b.id : a.id};
    s.operation = operation;
    s.categories = {a.id, b.id};
    out_.suggestions.push_back(std::move(s));
  }
}

bool Diagnostics::is_named(CategoryId id) const {
  return !facts_.view->categories[id].name.empty();
}

// Suggests names for the largest discovered categories without a name.
void Diagnostics::unnamed_categories() {
  std::vector<CategoryInfo> unnamed;
  std::int64_t all = 0;
  for (CategoryId id = 0; id < facts_.view->categories.next(); ++id) {
    if (!facts_.view->categories.is_live(id)) continue;
    CategoryInfo info = facts_.view->info(id);
    if (info.known || info.retired) continue;
    all += info.size;
    if (!is_named(id) && info.size >= kLeastToName) unnamed.push_back(std::move(info));
  }
  std::stable_sort(unnamed.begin(), unnamed.end(),
                   [](const CategoryInfo& a, const CategoryInfo& b) { return a.size > b.size; });
  if (unnamed.size() > kMostOfAKind) unnamed.resize(kMostOfAKind);
  for (const CategoryInfo& info : unnamed) {
    Suggestion s;
    s.kind = "name";
    s.id = fmt::format("name-{}", info.id);
    s.strength = static_cast<double>(info.size) / static_cast<double>(all);
    s.reason = fmt::format("'{}' has {} members and no name", info.name, info.size);
    s.categories = {info.id};
    const std::string name = suggested_name(facts_.keywords, info.id);
    if (!name.empty() && facts_.view->categories.find(name) == kNoId) {
      s.reason += fmt::format("; their texts share: {}", name);
      Operation operation;
      operation.kind = OperationKind::rename;
      operation.category = info.id;
      operation.name = name;
      s.operation = operation;
    }
    out_.suggestions.push_back(std::move(s));
  }
}

// Suggests the newest samples whose score is closest to their threshold.
void Diagnostics::close_decisions() {
  if (facts_.journal == nullptr) return;
  const std::uint64_t from = facts_.view->samples - std::min(facts_.view->samples, kCloseSamples);
  const auto page = facts_.journal->samples(from, static_cast<std::size_t>(kCloseSamples));
  if (!page.ok()) return;
  std::vector<std::pair<double, const io::DecidedSample*>> near;
  double sum = 0;
  for (const io::DecidedSample& sample : *page) {
    const double distance = std::abs(sample.score - sample.threshold);
    if (!std::isfinite(distance)) continue;
    near.emplace_back(distance, &sample);
    sum += distance;
  }
  if (near.size() < kLeastClose || !(sum > 0)) return;
  const double mean = sum / static_cast<double>(near.size());
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  near.resize(kMostOfAKind);
  for (const auto& [distance, sample] : near) {
    Suggestion s;
    s.kind = "look";
    s.id = fmt::format("look-{}", sample->sequence);
    s.strength = std::clamp(1 - distance / mean, 0.0, 1.0) / 2;
    s.reason = fmt::format("the score of sample {} is {:.4f} {} its threshold: {:.4f} and {:.4f}",
                           sample->sequence, distance,
                           sample->score < sample->threshold ? "below" : "above", sample->score,
                           sample->threshold);
    s.categories = {sample->category};
    if (sample->runner_up != sample->category) s.categories.push_back(sample->runner_up);
    s.samples = {sample->sequence};
    out_.suggestions.push_back(std::move(s));
  }
}

}  // namespace paco::insight
