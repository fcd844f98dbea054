#include "methods/common/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "math/logarithm.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco::methods {

PrototypeSet::PrototypeSet(std::size_t dimension, std::size_t roundings)
    : dimension_(dimension),
      roundings_(roundings),
      copies_(dimension, math::best_screen_format(dimension)),
      rounding_error_(copies_.rounding_error(roundings)) {}

std::size_t PrototypeSet::add(const float* unit, float sample_error) {
  const std::size_t k = size();
  // All or nothing: where memory runs out, the set is as it was.
  for (auto* numbers :
       {&drifts_, &inverse_resultants_, &cosine_errors_, &concentrations_, &log_sizes_}) {
    numbers->reserve(k + 1);
  }
  sizes_.reserve(k + 1);
  stale_.reserve(k + 1);
  resultants_.reserve(k + 1);
  sums_.resize((k + 1) * dimension_);
  sizes_.push_back(0);
  stale_.push_back(0);
  drifts_.push_back(0);
  resultants_.push_back(0);
  inverse_resultants_.push_back(0);
  cosine_errors_.push_back(0);
  concentrations_.push_back(0);
  log_sizes_.push_back(0);
  join(k, unit, sample_error);
  return k;
}

void PrototypeSet::join(std::size_t k, const float* unit, float sample_error) {
  ++sizes_[k];
  stale_[k] = 1;
  drifts_[k] += sample_error;
  const double squared = math::accumulate(sums_.data() + k * dimension_, unit, dimension_);
  resultants_[k] = std::sqrt(squared);
  concentrations_[k] = static_cast<float>(concentration(k));
  log_sizes_[k] = static_cast<float>(math::exact_log(static_cast<double>(sizes_[k])));
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
    resultants_[k] = resultants_[last];
    inverse_resultants_[k] = inverse_resultants_[last];
    cosine_errors_[k] = cosine_errors_[last];
    concentrations_[k] = concentrations_[last];
    log_sizes_[k] = log_sizes_[last];
    stale_[k] = 1;  // its copy stands elsewhere
    drifts_[k] = 0;
  }
  sums_.resize(last * dimension_);
  sizes_.resize(last);
  resultants_.resize(last);
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

// A product differs from the exact one by the roundings of the copy and of the samples that joined
// since, by those of float32 arithmetic, and by the sample's own, which screened_cosines adds.
//
// Where samples cancel each other the sum is short and the bound on its cosine wide: the prototype
// is then a candidate in every comparison. That is slow, rare, and right. Where the bound says
// nothing any more, or 1 / length is no float32, the screened cosine is 0 and any true one is
// possible. A sum of length zero has cosine 0 by definition, without error.
void PrototypeSet::bound_error(std::size_t k) {
  const double length = resultants_[k];
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
  if (resultants_[k] == 0) return 0;
  return math::dot(sums_.data() + k * dimension_, unit, dimension_) / resultants_[k];
}

double PrototypeSet::concentration(std::size_t k) const {
  return methods::concentration(resultants_[k], sizes_[k], dimension_);
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
