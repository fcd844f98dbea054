#include "insight/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace paco::insight {
namespace {

constexpr std::int64_t kEnough = 5;         // members of a prototype that is compared
constexpr std::size_t kMostOfAKind = 10;    // suggestions
constexpr std::size_t kSplitMembers = 200;  // newest, that a split is looked for in
constexpr std::size_t kSplitCategories = 16;
constexpr double kSplitShare = 0.2;     // the smaller side has at least this share
constexpr double kSplitDistance = 0.5;  // centres as far apart as this part of the sides' spread
constexpr std::uint64_t kCloseSamples = 2000;  // newest, that close decisions are looked for in
constexpr std::size_t kLeastClose = 100;       // of them with a score and a threshold

}  // namespace

void Diagnostics::suggest() {
  merges_and_drifts();
  splits();
  close_decisions();
  std::stable_sort(
      out_.suggestions.begin(), out_.suggestions.end(),
      [](const Suggestion& a, const Suggestion& b) { return a.strength > b.strength; });
}

double Diagnostics::resultant(std::size_t i) const {
  const auto p = static_cast<std::size_t>(facts_.directions->prototypes[i]);
  const auto& prototypes = facts_.view->prototypes;
  return p < prototypes.size() ? prototypes[p].resultant_length : kNotComputed;
}

bool Diagnostics::is_comparable(std::size_t i) const {
  return !facts_.directions->known[i] && facts_.directions->sizes[i] >= kEnough &&
         std::isfinite(resultant(i));
}

math::Matrix<float> Diagnostics::units_of(std::span<const std::uint64_t> samples) const {
  const std::size_t d = facts_.directions->dimension;
  math::Matrix<double> raw(samples.size(), d);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto row = facts_.journal->embedding(samples[i]);
    if (!row.ok() || !*row || (*row)->size() != d) return {};
    std::copy((*row)->begin(), (*row)->end(), raw[i].begin());
  }
  math::Matrix<float> units(samples.size(), d);
  if (!facts_.directions->transform->apply(raw, units.view())) return {};
  return units;
}

// Two discovered prototypes that are closer to each other than their members are to them; the same
// of a discovered prototype and a known class.
void Diagnostics::merges_and_drifts() {
  std::size_t merges = 0, drifts = 0;
  for (std::size_t a = 0; a < facts_.directions->size(); ++a) {
    if (!is_comparable(a)) continue;
    const std::span<const float> row(facts_.directions->row(a), facts_.directions->dimension);
    std::size_t best = facts_.directions->size();
    double best_cosine = -1;
    for (std::size_t b = 0; b < facts_.directions->size(); ++b) {
      if (facts_.directions->owners[b] == facts_.directions->owners[a]) continue;
      if (!facts_.directions->known[b] && (!is_comparable(b) || b < a)) continue;
      const double cosine = facts_.directions->cosine(b, row);
      if (cosine > best_cosine) {
        best = b;
        best_cosine = cosine;
      }
    }
    if (best == facts_.directions->size() || best_cosine <= resultant(a)) continue;
    const CategoryId from = facts_.directions->owners[a], to = facts_.directions->owners[best];
    const bool known = facts_.directions->known[best];
    if (!known && best_cosine <= resultant(best)) continue;
    if ((known ? drifts : merges)++ >= kMostOfAKind) continue;
    Suggestion s;
    s.kind = known ? "drift" : "merge";
    s.id = fmt::format("{}-{}-{}", s.kind, from, to);
    s.strength = std::clamp(best_cosine, 0.0, 1.0);
    s.reason = fmt::format(
        "'{}' and {}'{}' have cosine {:.2f}; members of '{}' have {:.2f} with "
        "their own middle{}",
        name(from), known ? "the known class " : "", name(to), best_cosine, name(from),
        resultant(a), known ? ", so it may be that class as it looks now" : "");
    Operation operation;
    operation.kind = OperationKind::merge;
    operation.categories = {from};
    operation.category = to;
    s.operation = operation;
    s.categories = {from, to};
    out_.suggestions.push_back(std::move(s));
  }
}

void Diagnostics::splits() {
  if (facts_.journal == nullptr) return;
  std::vector<std::size_t> largest;
  for (std::size_t i = 0; i < facts_.directions->size(); ++i) {
    if (is_comparable(i) && facts_.directions->sizes[i] >= 4 * kEnough) largest.push_back(i);
  }
  std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
    return facts_.directions->sizes[a] > facts_.directions->sizes[b];
  });
  if (largest.size() > kSplitCategories) largest.resize(kSplitCategories);
  for (const std::size_t i : largest) split(i);
}

// The newest members in two groups by the nearer of two middles. The first middles are the two
// members that are farthest from each other.
void Diagnostics::split(std::size_t place) {
  const std::size_t d = facts_.directions->dimension;
  const PrototypeId prototype = facts_.directions->prototypes[place];
  const auto members = facts_.members.page({&prototype, 1}, ~std::uint64_t{0}, kSplitMembers, true);
  if (members.size() < 4 * static_cast<std::size_t>(kEnough)) return;
  const math::Matrix<float> units = units_of(members);
  if (units.rows() == 0) return;
  const auto dot = [&](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += static_cast<double>(a[j]) * b[j];
    return sum;
  };
  const auto farthest = [&](std::span<const float> from) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < units.rows(); ++i) {
      if (dot(units[i], from) < dot(units[best], from)) best = i;
    }
    return best;
  };
  const std::size_t one = farthest(units[0]), other = farthest(units[one]);
  std::vector<double> middle[2] = {{units[one].begin(), units[one].end()},
                                   {units[other].begin(), units[other].end()}};
  std::vector<char> side(units.rows());
  double length[2] = {1, 1};
  std::size_t count[2] = {0, 0};
  for (int round = 0; round < 8; ++round) {
    count[0] = count[1] = 0;
    for (std::size_t i = 0; i < units.rows(); ++i) {
      side[i] = dot(units[i], middle[1]) / length[1] > dot(units[i], middle[0]) / length[0];
      ++count[static_cast<int>(side[i])];
    }
    if (count[0] == 0 || count[1] == 0) return;
    for (auto& m : middle) m.assign(d, 0.0);
    for (std::size_t i = 0; i < units.rows(); ++i) {
      for (std::size_t j = 0; j < d; ++j) middle[static_cast<int>(side[i])][j] += units[i][j];
    }
    for (int k = 0; k < 2; ++k) length[k] = std::sqrt(dot(middle[k], middle[k]));
    if (!(length[0] > 0) || !(length[1] > 0)) return;
  }
  const std::size_t smaller = std::min(count[0], count[1]);
  const double apart = dot(middle[0], middle[1]) / (length[0] * length[1]);
  const double tight = std::min(length[0] / static_cast<double>(count[0]),
                                length[1] / static_cast<double>(count[1]));
  if (static_cast<double>(smaller) < kSplitShare * static_cast<double>(units.rows()) ||
      apart > kSplitDistance * tight) {
    return;
  }
  const CategoryId category = facts_.directions->owners[place];
  Suggestion s;
  s.kind = "split";
  s.id = fmt::format("split-{}", prototype);
  s.strength = std::clamp(1 - apart, 0.0, 1.0);
  s.reason = fmt::format(
      "the newest {} members of '{}' fall into two groups of {} and {} whose "
      "middles have cosine {:.2f}, while members have {:.2f} with theirs",
      units.rows(), name(category), count[0], count[1], apart, tight);
  const char small_side = count[1] < count[0] ? 1 : 0;
  for (std::size_t i = 0; i < units.rows(); ++i) {
    if (side[i] == small_side) s.samples.push_back(members[i]);
  }
  std::sort(s.samples.begin(), s.samples.end());
  Operation operation;
  operation.kind = OperationKind::move;
  operation.samples = s.samples;
  s.operation = operation;
  s.categories = {category};
  out_.suggestions.push_back(std::move(s));
}

// Those of the newest samples whose score came nearest to the threshold that it was compared with.
void Diagnostics::close_decisions() {
  if (facts_.journal == nullptr) return;
  const std::uint64_t from = facts_.view->samples - std::min(facts_.view->samples, kCloseSamples);
  const auto page = facts_.journal->samples(from, static_cast<std::size_t>(kCloseSamples));
  if (!page.ok()) return;
  std::vector<std::pair<double, const journal::StoredSample*>> near;
  double sum = 0;
  for (const journal::StoredSample& sample : *page) {
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
    s.reason = fmt::format("sample {} met its threshold by {:.4f} only: {:.4f} against {:.4f}",
                           sample->sequence, distance, sample->score, sample->threshold);
    s.categories = {sample->category};
    if (sample->runner_up != sample->category) s.categories.push_back(sample->runner_up);
    s.samples = {sample->sequence};
    out_.suggestions.push_back(std::move(s));
  }
}

}  // namespace paco::insight
