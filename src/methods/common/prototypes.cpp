#include "methods/common/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "math/logarithm.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco::methods {

PrototypeSet::PrototypeSet(std::size_t dimension, std::size_t roundings, Attach attach)
    : dimension_(dimension),
      roundings_(roundings),
      attach_(attach),
      copies_(dimension, math::best_screen_format(dimension)),
      rounding_error_(copies_.rounding_error(roundings)) {}

std::size_t PrototypeSet::add(const float* unit, float sample_error) {
  const std::size_t k = size();
  // If memory runs out, the set is unchanged.
  for (auto* numbers :
       {&drifts_, &inverse_resultants_, &cosine_errors_, &concentrations_, &log_sizes_}) {
    numbers->reserve(k + 1);
  }
  sizes_.reserve(k + 1);
  stale_.reserve(k + 1);
  squares_.reserve(k + 1);
  sums_.resize((k + 1) * dimension_);
  sizes_.push_back(0);
  stale_.push_back(0);
  drifts_.push_back(0);
  squares_.push_back(0);
  inverse_resultants_.push_back(0);
  cosine_errors_.push_back(0);
  concentrations_.push_back(0);
  log_sizes_.push_back(0);
  join(k, unit, sample_error);
  return k;
}

void PrototypeSet::join(std::size_t k, const float* unit, float sample_error) {
  ++sizes_[k];
  moved(k, math::accumulate(sums_.data() + k * dimension_, unit, dimension_), sample_error);
}

void PrototypeSet::leave(std::size_t k, const float* unit, float sample_error) {
  --sizes_[k];
  negated_.resize(dimension_);
  for (std::size_t j = 0; j < dimension_; ++j) negated_[j] = -unit[j];
  // The error bound counts one addition per member; joining and leaving are two more.
  const auto rounded = static_cast<float>(2 * rounding_error_ * 1.001);
  moved(k, math::accumulate(sums_.data() + k * dimension_, negated_.data(), dimension_),
        sample_error + rounded);
}

void PrototypeSet::clear(std::size_t k) {
  std::fill_n(sums_.data() + k * dimension_, dimension_, 0.0);
  sizes_[k] = 0;
  moved(k, 0, 0);
}

void PrototypeSet::add_at(std::size_t k, const float* unit, float sample_error) {
  drifts_[k] = 0;
  join(k, unit, sample_error);
}

void PrototypeSet::moved(std::size_t k, double squared, float sample_error) {
  stale_[k] = 1;
  drifts_[k] += sample_error;
  squares_[k] = squared;
  if (attach_ == Attach::scored) {
    concentrations_[k] = static_cast<float>(concentration(k));
    log_sizes_[k] = static_cast<float>(math::exact_log(static_cast<double>(sizes_[k])));
  }
  bound_error(k);
}

std::size_t PrototypeSet::restore(std::span<const double> sum, std::int64_t members) {
  const std::vector<float> zeros(dimension_, 0.0f);
  const std::size_t k = add(zeros.data(), 0);
  assign(k, sum, members);
  return k;
}

void PrototypeSet::assign(std::size_t k, std::span<const double> sum, std::int64_t members) {
  const std::vector<float> zeros(dimension_, 0.0f);
  std::copy(sum.begin(), sum.end(), sums_.data() + k * dimension_);
  sizes_[k] = members - 1;
  join(k, zeros.data(), 0);
}

void PrototypeSet::remove(std::size_t k) {
  const std::size_t last = size() - 1;
  if (k != last) {
    std::copy_n(sums_.data() + last * dimension_, dimension_, sums_.data() + k * dimension_);
    sizes_[k] = sizes_[last];
    squares_[k] = squares_[last];
    inverse_resultants_[k] = inverse_resultants_[last];
    cosine_errors_[k] = cosine_errors_[last];
    concentrations_[k] = concentrations_[last];
    log_sizes_[k] = log_sizes_[last];
    stale_[k] = 1;  // its copy is at another place
    drifts_[k] = 0;
  }
  sums_.resize(last * dimension_);
  sizes_.resize(last);
  squares_.resize(last);
  inverse_resultants_.resize(last);
  cosine_errors_.resize(last);
  concentrations_.resize(last);
  log_sizes_.resize(last);
  stale_.resize(last);
  drifts_.resize(last);
  copies_.shrink(last);
}

void PrototypeSet::update_copies() {
  for (std::size_t k = 0; k < size(); ++k) {
    const void* next = std::memchr(stale_.data() + k, 1, size() - k);
    if (next == nullptr) return;
    k = static_cast<std::size_t>(static_cast<const std::uint8_t*>(next) - stale_.data());
    copies_.set(k, sums_.data() + k * dimension_);
    stale_[k] = 0;
    drifts_[k] = 0;
    bound_error(k);
  }
}

void PrototypeSet::change_format(math::PrefilterFormat format) {
  copies_ = math::Prefilter(dimension_, format);
  rounding_error_ = copies_.rounding_error(roundings_);
  std::fill_n(stale_.data(), size(), std::uint8_t{1});
}

// The difference between a screened product and the exact one has four sources: the rounding of the
// copy, the rounding of the samples that joined since, float32 arithmetic, and the sample's own
// rounding, which screened_cosines adds.
//
// If samples cancel each other, the sum is short and the error bound of its cosine is wide. The
// prototype is then a candidate in every comparison, which is slow and rare, but correct. If the
// bound is too wide to be useful, or 1 / length is not representable in float32, the screened
// cosine is 0 and its bound includes every possible cosine. A sum of length zero has cosine 0 by
// definition, without error.
void PrototypeSet::bound_error(std::size_t k) {
  const double length = resultant(k);
  const double copy_error = k < copies_.size() ? static_cast<double>(copies_.error(k)) : 0;
  const double lost = copy_error + static_cast<double>(drifts_[k]);
  const double error = lost + rounding_error_ * (static_cast<double>(sizes_[k]) + lost);
  const double bound = length > 0 ? error / length * 1.001 : 0.0;
  constexpr double kAnyCosine = 1.01;
  const bool useful = length > 0 && bound < kAnyCosine;
  inverse_resultants_[k] = useful ? static_cast<float>(1 / length) : 0.0f;
  cosine_errors_[k] = static_cast<float>(std::min(bound, kAnyCosine));
}

double PrototypeSet::cosine(std::size_t k, const float* unit) const {
  if (squares_[k] == 0) return 0;
  return math::dot(sums_.data() + k * dimension_, unit, dimension_) / resultant(k);
}

double PrototypeSet::concentration(std::size_t k) const {
  return paco::methods::concentration(resultant(k), sizes_[k], dimension_);
}

math::PrefilterScores PrototypeSet::screened_cosines(const math::PrefilterRow& row) const {
  math::PrefilterScores scores;
  scores.products = row.products;
  scores.count = size();
  scores.scale = inverse_resultants_.data();
  scores.cosine_error = cosine_errors_.data();
  scores.stretch = 1 + row.error;
  scores.constant_error = row.error;
  return scores;
}

math::PrefilterScores PrototypeSet::screened_attach_scores(const math::PrefilterRow& row) const {
  math::PrefilterScores scores = screened_cosines(row);
  scores.factor = concentrations_.data();
  scores.offset = log_sizes_.data();
  scores.slack = 64 * 0x1p-22f;  // log n is below 64 and was rounded to float32
  return scores;
}

std::size_t PrototypeSet::bytes_per_prototype() const {
  return dimension_ * sizeof(double) + copies_.bytes_per_row() + sizeof(std::int64_t) +
         sizeof(double) + 5 * sizeof(float) + sizeof(std::uint8_t);
}

}  // namespace paco::methods
