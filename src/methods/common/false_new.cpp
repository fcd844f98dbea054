#include "methods/common/false_new.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/pseudo_split.hpp"
#include "methods/common/standardise.hpp"

namespace paco {
namespace {

// Probability that of `samples` draws with this chance `hits` hit.
double exactly(std::uint64_t hits, std::uint64_t samples, double chance) {
  const auto n = static_cast<double>(samples), k = static_cast<double>(hits);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(chance) + (n - k) * std::log1p(-chance));
}

double at_most(std::uint64_t most, std::uint64_t samples, double chance) {
  double sum = 0;
  for (std::uint64_t k = 0; k <= most; ++k) sum += exactly(k, samples, chance);
  return sum;
}

std::string name_of(std::string_view what) {
  return std::string(methods::kFalseNewPrefix) + std::string(what);
}

}  // namespace

std::uint64_t FalseNew::samples_needed(double rate) {
  // Below the lowest of n samples lies more than the rate with chance (1 - rate)^n.
  return static_cast<std::uint64_t>(std::ceil(std::log(1 - kConfidence) / std::log1p(-rate)));
}

double FalseNew::expected() const {
  return static_cast<double>(below) / static_cast<double>(samples + 1);
}

double FalseNew::bound(double confidence) const {
  if (below == 0) return 0;
  double low = 0, high = 1;
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    // Beta(j, n + 1 - j) exceeds x if fewer than j of n draws hit with chance x.
    (at_most(below - 1, samples, middle) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

std::optional<FalseNew> false_new_of(const Model& model, std::string_view method) {
  const auto info = method_info(method.empty() ? model.method : method);
  if (!info.ok()) return std::nullopt;
  const auto section = model.section((*info)->section);
  if (!section.ok()) return std::nullopt;
  const auto number = [&](std::string_view what) {
    const auto found = (*section)->number(name_of(what));
    return found.ok() ? *found : 0.0;
  };
  FalseNew out;
  out.rate = number("rate");
  if (out.rate == 0) return std::nullopt;
  out.live = (*section)->numbers.contains(methods::kLiveGate);
  out.gate = number(out.live ? "bonus_from" : "gate");
  out.samples = static_cast<std::uint64_t>(number("samples"));
  out.below = static_cast<std::uint64_t>(number("below"));
  out.kept_apart = number("kept_apart") != 0;
  out.pseudo_streams = static_cast<std::uint64_t>(number("price.pseudo_streams"));
  out.with = {number("price.strict_all"), number("price.called_new")};
  out.without = {number("price.strict_all_without"), number("price.called_new_without")};
  return out;
}

namespace methods {
namespace {

constexpr double kNoGate = std::numeric_limits<double>::infinity();

double best_cosine(std::span<const float> unit, Rows<const float> references) {
  double best = -1;
  for (std::size_t k = 0; k < references.rows; ++k)
    best = std::max(best, math::dot(references[k].data(), unit.data(), unit.size()));
  return best;
}

// Of one fold: statistics and references without it. A row that cannot be placed says nothing.
Result<std::vector<double>> fold_cosines(const SupportView& support, const Fold& fold) {
  const Rows<const double> raw = support.raw();
  const Model& model = support.model();
  const SupportStatistics statistics = support_statistics(raw, fold.kept, model.epsilon);
  math::Matrix<float> units(fold.kept.size(), raw.columns);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < fold.kept.size(); ++i) {
    if (standardise_row(raw[fold.kept[i]], statistics.mean, statistics.deviation, units[i]) !=
        RowFault::none)
      std::fill(units[i].begin(), units[i].end(), 0.0f);
    labels.push_back(support.labels()[fold.kept[i]]);
  }
  PACO_ASSIGN(const math::Matrix<float> references,
              class_prototypes(units, labels, model.class_names));
  std::vector<double> out;
  std::vector<float> unit(raw.columns);
  for (const std::size_t row : fold.scored) {
    if (support.stop().stop_requested()) break;
    if (standardise_row(raw[row], statistics.mean, statistics.deviation, unit) == RowFault::none)
      out.push_back(best_cosine(unit, references));
  }
  return out;
}

}  // namespace

const EvidenceField& gate_field() {
  static const EvidenceField field{
      kGateField, "cosine", "best with a known class that keeps a sample there, where it did"};
  return field;
}

Result<std::vector<double>> known_cosines(SupportView& support) {
  const Model& model = support.model();
  const Rows<const double> apart = support.held_out();
  if (apart.rows > 0) {
    math::Matrix<float> units(apart.rows, apart.columns);
    PACO_TRY(standardise_rows(apart, model.mean, model.deviation, units.view(), "samples held out",
                              0, support.pool()));
    const Rows<const float> references{model.references.data(), model.known_classes(),
                                       model.dimension};
    std::vector<double> out(apart.rows);
    support.pool().parallel_for(apart.rows, 16, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) out[i] = best_cosine(units[i], references);
    });
    return out;
  }
  core::NumpyLegacyRandom random(0);
  const std::vector<std::uint32_t> labels(support.labels().begin(), support.labels().end());
  const std::vector<Fold> folds = draw_folds(labels, model.known_classes(), random);
  std::vector<Result<std::vector<double>>> parts(folds.size(), std::vector<double>());
  support.pool().parallel_for(folds.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
      if (!folds[f].scored.empty()) parts[f] = fold_cosines(support, folds[f]);
    }
  });
  if (support.stop().stop_requested())
    return Error{ErrorCode::interrupted, "calibration was interrupted", ""};
  std::vector<double> out;
  for (const auto& part : parts) {
    if (!part.ok()) return part.error();
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

Result<std::uint64_t> samples_below(double rate, std::uint64_t samples) {
  // The most j for which Beta(j, n + 1 - j) is above the rate with no more than the chance left:
  // then fewer than j of n draws hit with the rate as chance.
  std::uint64_t below = 0;
  for (double sum = 0; below <= samples; ++below) {
    sum += exactly(below, samples, rate);
    if (sum > 1 - FalseNew::kConfidence) break;
  }
  if (below > 0) return below;
  const double least =
      -std::expm1(std::log(1 - FalseNew::kConfidence) / static_cast<double>(samples));
  return Error{
      ErrorCode::bad_value,
      fmt::format("a false-new rate of {:g} % with {:g} % confidence needs {} held-out samples, "
                  "there are {}",
                  100 * rate, 100 * FalseNew::kConfidence, FalseNew::samples_needed(rate), samples),
      fmt::format("give more labelled samples, or a rate of {:g} % or more",
                  std::ceil(1e4 * least) / 1e2)};
}

std::uint64_t share_below(double rate, std::uint64_t samples) {
  constexpr double kRounding = 1e-9;  // 0.01 of 100 is 1
  return static_cast<std::uint64_t>(
      std::floor(rate * static_cast<double>(samples + 1) + kRounding));
}

Result<void> put_false_new(Section& section, double rate, std::vector<double> known_cosines,
                           bool kept_apart) {
  const bool live = section.tensors.contains(kHeldOutRows);
  std::uint64_t below = share_below(rate / 2, known_cosines.size());
  if (!live) {
    PACO_ASSIGN(below, samples_below(rate, known_cosines.size()));
  }
  const auto cut = known_cosines.begin() + static_cast<std::ptrdiff_t>(below - 1);
  std::nth_element(known_cosines.begin(), cut, known_cosines.end());
  section.numbers[name_of("rate")] = rate;
  section.numbers[live ? std::string(kLiveGate) : name_of("gate")] = *cut;
  section.numbers[name_of("samples")] = static_cast<double>(known_cosines.size());
  section.numbers[name_of("below")] = static_cast<double>(below);
  section.numbers[name_of("kept_apart")] = kept_apart ? 1 : 0;
  return {};
}

void put_price(Section& section, const FalseNew& measured) {
  section.numbers[name_of("price.pseudo_streams")] = static_cast<double>(measured.pseudo_streams);
  section.numbers[name_of("price.strict_all")] = measured.with.strict_all;
  section.numbers[name_of("price.called_new")] = measured.with.called_new;
  section.numbers[name_of("price.strict_all_without")] = measured.without.strict_all;
  section.numbers[name_of("price.called_new_without")] = measured.without.called_new;
}

void take_false_new_away(Section& section) {
  std::erase_if(section.numbers,
                [](const auto& number) { return number.first.starts_with(kFalseNewPrefix); });
}

double gate_of(const Section& section) {
  const auto found = section.numbers.find(name_of("gate"));
  return found == section.numbers.end() || std::isnan(found->second) ? kNoGate : found->second;
}

}  // namespace methods
}  // namespace paco
