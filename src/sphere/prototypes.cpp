#include "sphere/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sphere/von_mises_fisher.hpp"

namespace paco {

PrototypeSet::PrototypeSet(std::size_t dimension, std::size_t roundings)
    : dimension_(dimension), error_(screen_error(dimension, roundings)) {}

std::size_t PrototypeSet::add(const float* unit) {
  const std::size_t k = size();
  sums_.resize((k + 1) * dimension_);
  rounded_.resize((k + 1) * dimension_);
  sizes_.push_back(1);
  resultants_.push_back(0);
  inverse_resultants_.push_back(0);
  cosine_errors_.push_back(0);
  concentrations_.push_back(0);
  log_sizes_.push_back(0);
  refresh(k, accumulate(sums_.data() + k * dimension_, unit, rounded_.data() + k * dimension_,
                        dimension_));
  return k;
}

void PrototypeSet::join(std::size_t k, const float* unit) {
  ++sizes_[k];
  refresh(k, accumulate(sums_.data() + k * dimension_, unit, rounded_.data() + k * dimension_,
                        dimension_));
}

void PrototypeSet::restore(std::span<const double> sum, std::int64_t members) {
  const std::vector<float> zeros(dimension_, 0.0f);
  const std::size_t k = add(zeros.data());
  double* own = sums_.data() + k * dimension_;
  std::copy(sum.begin(), sum.end(), own);
  for (std::size_t i = 0; i < dimension_; ++i)
    rounded_[k * dimension_ + i] = static_cast<float>(own[i]);
  sizes_[k] = members;
  refresh(k, dot(own, own, dimension_));
}

// Where samples cancel each other the sum is short and the bound on its cosine wide: the prototype
// is then a candidate in every comparison. That is slow, rare, and right. Where the bound says
// nothing any more, or 1 / length is no float32, the screened cosine is 0 and any true one is
// possible. A sum of length zero has cosine 0 by definition, without error.
void PrototypeSet::refresh(std::size_t k, double squared_length) {
  const double length = std::sqrt(squared_length);
  const auto members = static_cast<double>(sizes_[k]);
  resultants_[k] = length;
  const double bound = length > 0 ? error_ * members / length * 1.001 : 0.0;
  constexpr double kAnyCosine = 1.01;
  const bool useful = length > 0 && bound < kAnyCosine;
  inverse_resultants_[k] = useful ? static_cast<float>(1 / length) : 0.0f;
  cosine_errors_[k] = static_cast<float>(std::min(bound, kAnyCosine));
  concentrations_[k] = static_cast<float>(paco::concentration(length, sizes_[k], dimension_));
  log_sizes_[k] = static_cast<float>(std::log(members));
}

double PrototypeSet::cosine(std::size_t k, const float* unit) const {
  if (resultants_[k] == 0) return 0;
  return dot(sums_.data() + k * dimension_, unit, dimension_) / resultants_[k];
}

double PrototypeSet::concentration(std::size_t k) const {
  return paco::concentration(resultants_[k], sizes_[k], dimension_);
}

ScreenedScores PrototypeSet::screened_cosines(const float* products) const {
  ScreenedScores scores;
  scores.products = products;
  scores.count = size();
  scores.scale = inverse_resultants_.data();
  scores.cosine_error = cosine_errors_.data();
  return scores;
}

ScreenedScores PrototypeSet::screened_attach_scores(const float* products) const {
  ScreenedScores scores = screened_cosines(products);
  scores.factor = concentrations_.data();
  scores.offset = log_sizes_.data();
  scores.slack = 64 * 0x1p-22f;  // log n is below 64 and was rounded to float32
  return scores;
}

std::size_t PrototypeSet::bytes_per_prototype() const {
  return dimension_ * (sizeof(double) + sizeof(float)) + sizeof(std::int64_t) + sizeof(double) +
         4 * sizeof(float);
}

}  // namespace paco
