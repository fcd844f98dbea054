#include "sphere/block_products.hpp"

#include <algorithm>
#include <cassert>

#include "linalg/gemm.hpp"
#include "linalg/kernels.hpp"

namespace paco {

std::size_t BlockProducts::good_rows(std::size_t prototypes) {
  constexpr std::size_t kTableFloats = std::size_t{1} << 20;
  return std::clamp<std::size_t>(kTableFloats / (prototypes + 1), 16, kMaxRows);
}

void BlockProducts::begin(Rows<const float> units, const PrototypeSet& prototypes,
                          ThreadPool& pool) {
  assert(units.rows <= kMaxRows);
  rows_ = units.rows;
  columns_ = prototypes.size();
  stride_ = columns_ + rows_;
  if (products_.size() < rows_ * stride_) products_.resize(rows_ * stride_ + rows_ * stride_ / 2);
  if (rows_ == 1) {
    screen_rows(prototypes.rounded(), columns_, units.data, units.columns, products_.data());
    return;
  }
  multiply_transposed(units.data, rows_, prototypes.rounded(), columns_, units.columns,
                      products_.data(), stride_, pool);
  gram_.resize(kMaxRows * kMaxRows);
  multiply_self(units.data, rows_, units.columns, gram_.data());
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

}  // namespace paco
