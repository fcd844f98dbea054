// Warnings: a rising rate of new categories, and known classes whose samples move away from them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "insight/diagnostics.hpp"

namespace paco::insight {
namespace {

constexpr std::uint64_t kManyBirths = 20;
constexpr double kRise = 3;
constexpr std::uint64_t kManySamples = 200;
constexpr double kForeignShare = 0.5;
constexpr std::size_t kSideMembers = 100;  // first and newest of a known class
constexpr double kStandardErrors = 6;
constexpr double kLeastDrop = 0.1;  // of the mean evidence

}  // namespace

void Diagnostics::warn() {
  births();
  falling_known_classes();
}

// Compares the newest eighth of the stream with the quarter before it.
void Diagnostics::births() {
  const std::vector<SeriesStep>& steps = facts_.steps;
  if (steps.size() < 16) return;
  const std::size_t eighth = steps.size() / 8;
  std::uint64_t count[2] = {0, 0}, born[2] = {0, 0};
  for (std::size_t i = steps.size() - 3 * eighth; i < steps.size(); ++i) {
    const int newest = i >= steps.size() - eighth;
    count[newest] += steps[i].count;
    born[newest] += steps[i].verdicts[static_cast<std::size_t>(Verdict::created)];
  }
  const double share = static_cast<double>(born[1]) / static_cast<double>(count[1]);
  const double before = static_cast<double>(born[0]) / static_cast<double>(count[0]);
  const std::uint64_t since = facts_.view->samples - std::min(facts_.view->samples, count[1]);
  if (born[1] >= kManyBirths && share > kRise * before) {
    out_.warnings.push_back(
        {"births", "births_rise",
         fmt::format("{:.1f} % of the newest {} samples started a category, {:.1f} % of those "
                     "before them",
                     100 * share, count[1], 100 * before),
         std::nullopt, since});
  }
  if (count[1] >= kManySamples && share > kForeignShare) {
    out_.warnings.push_back(
        {"unlike", "unlike_support",
         fmt::format("{:.1f} % of the newest {} samples started a category: this stream is unlike "
                     "the support set",
                     100 * share, count[1]),
         std::nullopt, since});
  }
}

std::optional<Diagnostics::Mean> Diagnostics::mean_evidence(std::span<const std::uint64_t> samples,
                                                            std::size_t field) const {
  std::vector<double> values;
  for (const std::uint64_t sequence : samples) {
    const auto sample = facts_.journal->sample(sequence);
    if (sample.ok() && *sample && field < (*sample)->evidence.size() &&
        std::isfinite((*sample)->evidence[field])) {
      values.push_back((*sample)->evidence[field]);
    }
  }
  if (values.size() < kSideMembers / 2) return std::nullopt;
  Mean out;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) out.value += value / n;
  for (const double value : values) out.squared_error += (value - out.value) * (value - out.value);
  out.squared_error /= n * (n - 1);
  return out;
}

// Compares the first and the newest samples of each known class by the method's cosine with known
// classes.
void Diagnostics::falling_known_classes() {
  if (facts_.journal == nullptr) return;
  const std::vector<EvidenceField>& fields = facts_.method.evidence;
  const auto cosine = std::find_if(fields.begin(), fields.end(),
                                   [](const EvidenceField& f) { return f.unit == "cosine"; });
  if (cosine == fields.end()) return;
  const auto field = static_cast<std::size_t>(cosine - fields.begin());
  for (CategoryId id = 0; id < static_cast<CategoryId>(facts_.view->categories.known_classes());
       ++id) {
    if (!facts_.view->categories.is_live(id)) continue;
    const auto& prototypes = facts_.view->categories[id].prototypes;
    if (facts_.members.count(prototypes) < 4 * kSideMembers) continue;
    const auto first = facts_.members.page(prototypes, 0, kSideMembers, false);
    const auto newest = facts_.members.page(prototypes, ~std::uint64_t{0}, kSideMembers, true);
    const auto then = mean_evidence(first, field), now = mean_evidence(newest, field);
    if (!then || !now) continue;
    const double drop = then->value - now->value;
    if (drop < kLeastDrop * std::abs(then->value) ||
        drop < kStandardErrors * std::sqrt(then->squared_error + now->squared_error)) {
      continue;
    }
    out_.warnings.push_back(
        {fmt::format("sinks-{}", id), "known_sinks",
         fmt::format("{} of the known class '{}' has sunk from {:.3f} to {:.3f}", cosine->name,
                     name(id), then->value, now->value),
         id, newest.back()});
  }
}

}  // namespace paco::insight
