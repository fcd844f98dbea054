#include "methods/common/block_products.hpp"

#include <algorithm>
#include <cassert>

namespace paco::methods {

std::size_t BlockProducts::good_rows(std::size_t prototypes) {
  constexpr std::size_t kTableFloats = std::size_t{1} << 20;
  return std::clamp<std::size_t>(kTableFloats / (prototypes + 1), 16, kMaxRows);
}

void BlockProducts::begin(math::SampleBlock& samples, PrototypeSet& prototypes,
                          std::size_t founders, Visits visits, core::ThreadPool& pool) {
  prototypes.update_copies();
  samples_ = &samples;
  visits_ = visits;
  rows_ = samples.rows();
  columns_ = prototypes.size();
  stride_ = columns_ + founders;
  if (products_.size() < rows_ * stride_) products_.resize(rows_ * stride_ + rows_ * stride_ / 2);
  if (prototypes.size() > 0) prototypes.copies().multiply(samples, products_.data(), stride_, pool);
  if (rows_ == 1) return;
  gram_.resize(std::max(gram_.size(), rows_ * rows_));
  samples.multiply_self(gram_.data());
}

template <class Change>
void BlockProducts::for_rows_after(std::size_t i, std::size_t k, Change change) {
  assert(k < stride_);
  if (rows_ == 1) return;
  float* products = products_.data() + k;
  for (std::size_t j = visits_ == Visits::in_order ? i + 1 : 0; j <= i; ++j)
    change(products[j * stride_], gram_[i * rows_ + j]);
  for (std::size_t j = i + 1; j < rows_; ++j) change(products[j * stride_], gram_[j * rows_ + i]);
}

void BlockProducts::founded(std::size_t i, std::size_t k) {
  for_rows_after(i, k, [](float& product, float entry) { product = entry; });
}

void BlockProducts::joined(std::size_t i, std::size_t k) {
  for_rows_after(i, k, [](float& product, float entry) { product += entry; });
}

void BlockProducts::left(std::size_t i, std::size_t k) {
  for_rows_after(i, k, [](float& product, float entry) { product -= entry; });
}

}  // namespace paco::methods
