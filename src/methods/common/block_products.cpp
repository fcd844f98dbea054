#include "methods/common/block_products.hpp"

#include <algorithm>
#include <cassert>

namespace paco::methods {

std::size_t BlockProducts::good_rows(std::size_t prototypes) {
  constexpr std::size_t kTableFloats = std::size_t{1} << 20;
  return std::clamp<std::size_t>(kTableFloats / (prototypes + 1), 16, kMaxRows);
}

void BlockProducts::begin(math::SampleBlock& samples, PrototypeSet& prototypes,
                          core::ThreadPool& pool) {
  assert(samples.rows() <= kMaxRows);
  prototypes.update_copies();
  samples_ = &samples;
  rows_ = samples.rows();
  columns_ = prototypes.size();
  stride_ = columns_ + rows_;
  if (products_.size() < rows_ * stride_) products_.resize(rows_ * stride_ + rows_ * stride_ / 2);
  prototypes.copies().multiply(samples, products_.data(), stride_, pool);
  if (rows_ == 1) return;
  gram_.resize(kMaxRows * kMaxRows);
  samples.multiply_self(gram_.data());
}

void BlockProducts::added(std::size_t i, std::size_t k) {
  assert(k <= columns_);
  if (k == columns_) {
    ++columns_;
    for (std::size_t j = i + 1; j < rows_; ++j) products_[j * stride_ + k] = gram_[j * rows_ + i];
    return;
  }
  for (std::size_t j = i + 1; j < rows_; ++j) products_[j * stride_ + k] += gram_[j * rows_ + i];
}

}  // namespace paco::methods
