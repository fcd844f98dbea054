// Screened products of the samples of a block, new and rehearsed, with the slots of a MirrorMemory,
// kept right while the block is decided.
//
// As BlockProducts (sphere/block_products.hpp), but members also leave and slots are used again;
// and where there is rehearsal rows come up more than once, so that every change of a slot is made
// in all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "methods/mirror/memory.hpp"

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

class BlockTable {
 public:
  // A product may be corrected once for every sample that is decided or rehearsed in its block, and
  // each correction is a rounding that the bounds of the memory must know.
  static constexpr std::size_t kMostRows = 192;

  // Do rows come up once each and in order, or several times and in any?
  enum class Visits : std::uint8_t { in_order, any };

  // Renews the copies of the prototypes and multiplies them with the samples, which have to stay.
  // `new_slots`: how many may be added while the block is decided.
  void begin(math::SampleBlock& samples, MirrorMemory& memory, std::size_t new_slots, Visits visits,
             core::ThreadPool& pool);

  math::PrefilterRow row(std::size_t i) const {
    return {products_.data() + i * stride_, samples_->error(i)};
  }
  // After sample i joined a slot, left it, or founded it.
  void joined(std::size_t i, std::size_t slot) { add(i, slot, 1); }
  void left(std::size_t i, std::size_t slot) { add(i, slot, -1); }
  void founded(std::size_t i, std::size_t slot);

 private:
  void add(std::size_t i, std::size_t slot, float sign);
  // The first row that is looked at after row i has changed something.
  std::size_t first_after(std::size_t i) const { return visits_ == Visits::in_order ? i + 1 : 0; }
  float gram(std::size_t i, std::size_t j) const {
    return i < j ? gram_[j * rows_ + i] : gram_[i * rows_ + j];
  }

  const math::SampleBlock* samples_ = nullptr;
  Visits visits_ = Visits::any;
  std::size_t rows_ = 0;
  std::size_t stride_ = 0;
  std::vector<float> products_;  // (rows, stride)
  std::vector<float> gram_;      // (rows, rows), lower triangle
};

}  // namespace paco::methods
