#include "methods/mirror/block_table.hpp"

#include <algorithm>
#include <cassert>

namespace paco::methods {

void BlockTable::begin(math::SampleBlock& samples, MirrorMemory& memory, std::size_t new_slots,
                       Visits visits, core::ThreadPool& pool) {
  assert(samples.rows() <= kMostRows);
  memory.update_copies();
  samples_ = &samples;
  visits_ = visits;
  rows_ = samples.rows();
  stride_ = memory.slots() + new_slots;
  if (products_.size() < rows_ * stride_) products_.resize(rows_ * stride_ + rows_ * stride_ / 2);
  if (memory.slots() > 0) memory.copies().multiply(samples, products_.data(), stride_, pool);
  if (rows_ == 1) return;
  gram_.resize(std::max(gram_.size(), rows_ * rows_));
  samples.multiply_self(gram_.data());
}

void BlockTable::founded(std::size_t i, std::size_t slot) {
  assert(slot < stride_);
  if (rows_ == 1) return;
  for (std::size_t j = first_after(i); j < rows_; ++j) products_[j * stride_ + slot] = gram(i, j);
}

void BlockTable::add(std::size_t i, std::size_t slot, float sign) {
  if (rows_ == 1) return;
  for (std::size_t j = first_after(i); j < rows_; ++j)
    products_[j * stride_ + slot] += sign * gram(i, j);
}

}  // namespace paco::methods
