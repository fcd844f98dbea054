// Screened products of a block of samples with the prototypes of a PrototypeSet. They are updated
// while the block is decided.
//
// At the start of a block, two matrix products compute U R^T and U U^T. When sample i joins
// prototype k, the products of the other samples with k change by their entry of U U^T with i. A
// new prototype adds a column. So a block costs as much as matrix multiplication, and each sample
// is still compared with exactly the prototypes that the earlier samples left.
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
  // in_order: each row of a block is visited once, in order. any: rows are visited several times
  // and in any order (stored samples are rehearsed), so every change is made in all rows.
  enum class Visits : std::uint8_t { in_order, any };

  // Rows to take at once so that the table of products stays in cache.
  static constexpr std::size_t kMaxRows = 128;
  static std::size_t good_rows(std::size_t prototypes);

  // Updates the screening copies of the prototypes and multiplies them with the samples, which must
  // stay alive until the block is decided. Every change of a product is a rounding, which the error
  // bound of the PrototypeSet must include (see `roundings` there). At most `founders` new
  // prototypes can start in the block.
  void begin(math::SampleBlock& samples, PrototypeSet& prototypes, std::size_t founders,
             Visits visits, core::ThreadPool& pool);
  // The same if every sample can start a prototype and each row is visited once.
  void begin(math::SampleBlock& samples, PrototypeSet& prototypes, core::ThreadPool& pool) {
    begin(samples, prototypes, samples.rows(), Visits::in_order, pool);
  }
  // Products of sample i with all current prototypes.
  math::PrefilterRow row(std::size_t i) const {
    return {products_.data() + i * stride_, samples_->error(i)};
  }
  // Call these after sample i, with the error of its row, has started, joined or left prototype k
  // of the set. added: the sample started the next prototype or joined an existing one.
  void added(std::size_t i, std::size_t k) {
    if (k < columns_) return joined(i, k);
    ++columns_;
    founded(i, k);
  }
  void founded(std::size_t i, std::size_t k);
  void joined(std::size_t i, std::size_t k);
  void left(std::size_t i, std::size_t k);

 private:
  // Calls change(product, entry of U U^T) for prototype k and for each row that is visited after
  // row i has changed something.
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
