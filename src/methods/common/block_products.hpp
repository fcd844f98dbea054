// Screened products of a block of samples with the prototypes of a PrototypeSet, kept right while
// the block is decided.
//
// At the start of a block two matrix products give U R^T and U U^T. When sample i joins prototype
// k, the products of the other samples with k change by their entry of U U^T with i; a new
// prototype is a new column. So a block costs as much as matrix multiplication, and each sample
// still meets exactly the memory that the samples before it left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/matrix.hpp"
#include "methods/common/prototypes.hpp"

namespace paco::core {
class ThreadPool;
}

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

class BlockProducts {
 public:
  // Do the rows of a block come up once each and in order, or (stored samples that are looked at
  // again) several times and in any order? Then every change is made in all rows.
  enum class Visits : std::uint8_t { in_order, any };

  // Rows to take at once so that the table of products stays in cache.
  static constexpr std::size_t kMaxRows = 128;
  static std::size_t good_rows(std::size_t prototypes);

  // Renews the copies of the prototypes and multiplies them with the samples, which have to stay
  // until the block is decided. Every change of a product is a rounding that the error bound of the
  // PrototypeSet must know (`roundings` there). At most `founders` prototypes begin in the block.
  void begin(math::SampleBlock& samples, PrototypeSet& prototypes, std::size_t founders,
             Visits visits, core::ThreadPool& pool);
  // Every sample may found a prototype, and each comes up once.
  void begin(math::SampleBlock& samples, PrototypeSet& prototypes, core::ThreadPool& pool) {
    begin(samples, prototypes, samples.rows(), Visits::in_order, pool);
  }
  // Products of sample i with all prototypes there are now.
  math::PrefilterRow row(std::size_t i) const {
    return {products_.data() + i * stride_, samples_->error(i)};
  }
  // After sample i founded, joined or left prototype k of the set, with the error of its row;
  // added: it founded the next or joined one that was there.
  void added(std::size_t i, std::size_t k) {
    if (k < columns_) return joined(i, k);
    ++columns_;
    founded(i, k);
  }
  void founded(std::size_t i, std::size_t k);
  void joined(std::size_t i, std::size_t k);
  void left(std::size_t i, std::size_t k);

 private:
  // Calls change(product, entry of U U^T) for prototype k and each row that is looked at after row
  // i has changed something.
  template <class Change>
  void for_rows_after(std::size_t i, std::size_t k, Change change);

  const math::SampleBlock* samples_ = nullptr;
  Visits visits_ = Visits::in_order;
  std::size_t rows_ = 0;
  std::size_t stride_ = 0;
  std::size_t columns_ = 0;      // prototypes when the block began, plus those added
  std::vector<float> products_;  // (rows, stride)
  std::vector<float> gram_;      // (rows, rows), lower triangle
};

}  // namespace paco::methods
