// Screened products of a block of samples with a growing PrototypeSet, kept right while the block
// is decided.
//
// At the start of a block two matrix products give U R^T and U U^T. When sample i joins prototype
// k, the products of the later samples with k change by their entry of U U^T with i; a new
// prototype is a new column. So a block costs as much as matrix multiplication, and each sample
// still meets exactly the memory that the samples before it left behind.
#pragma once

#include <cstddef>
#include <vector>

#include "math/matrix.hpp"
#include "methods/common/prototypes.hpp"

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

class BlockProducts {
 public:
  // Largest block: each row's product may be corrected once per earlier row, and every correction
  // is a rounding that the error bound of the PrototypeSet must know.
  static constexpr std::size_t kMaxRows = 128;

  // Rows to take at once so that the table of products stays in cache.
  static std::size_t good_rows(std::size_t prototypes);

  // Renews the copies of the prototypes and multiplies them with the samples, which have to stay
  // until the block is decided.
  void begin(math::SampleBlock& samples, PrototypeSet& prototypes, core::ThreadPool& pool);
  // Products of sample i with all prototypes there are now.
  math::PrefilterRow row(std::size_t i) const {
    return {products_.data() + i * stride_, samples_->error(i)};
  }
  // Call after the sample was added to prototype k, new or old, with the error of its row.
  void added(std::size_t i, std::size_t k);

 private:
  const math::SampleBlock* samples_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t stride_ = 0;
  std::size_t columns_ = 0;      // prototypes when the block began, plus those born in it
  std::vector<float> products_;  // (rows, stride)
  std::vector<float> gram_;      // (rows, rows), lower triangle
};

}  // namespace paco::methods
