#include "core/large_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace paco::core {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

// The size that is requested from the system: whole pages, rounded to a few sizes, at most a
// quarter apart, so that a block can be reused for arrays of similar size. Bytes that are not
// written use no memory.
std::size_t block_size(std::size_t bytes) {
  const std::size_t pages = round_up(bytes, kPage);
  return round_up(pages, std::max(kPage, std::bit_floor(pages) / 4));
}

struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

// Unused blocks; the most recently returned block is last.
class KeptBlocks {
 public:
  // The most recently returned block of this size, or null.
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = count_; i-- > 0;) {
      if (blocks_[i].bytes == bytes) return remove(i).memory;
    }
    return nullptr;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    while (count_ > 0) std::free(remove(count_ - 1).memory);
  }

  // Keeps the block, and frees the oldest blocks if there is no room.
  void give(Block block) {
    if (block.bytes > kKeptBytes) return std::free(block.memory);
    const std::lock_guard lock(mutex_);
    while (count_ == blocks_.size() || kept_ + block.bytes > kKeptBytes)
      std::free(remove(0).memory);
    blocks_[count_++] = block;
    kept_ += block.bytes;
  }

 private:
  Block remove(std::size_t i) {
    const Block block = blocks_[i];
    std::move(blocks_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
              blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    --count_;
    kept_ -= block.bytes;
    return block;
  }

  std::mutex mutex_;
  std::array<Block, 16> blocks_;
  std::size_t count_ = 0, kept_ = 0;
};

// Never destroyed: arrays may be returned after static objects are destroyed.
KeptBlocks& kept_blocks() {
  static auto* blocks = new KeptBlocks;
  return *blocks;
}

// Blocks are not kept under the address sanitizer, because it would not detect the use of a kept
// block after its return.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

void* take_large_pages(std::size_t bytes) {
  const std::size_t size = block_size(bytes);
  if (kKeeps) {
    if (void* kept = kept_blocks().take(size)) return kept;
  }
  void* memory = std::aligned_alloc(kPage, size);
  if (memory == nullptr && kKeeps) {
    kept_blocks().clear();
    memory = std::aligned_alloc(kPage, size);
  }
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

void give_large_pages(void* memory, std::size_t bytes) noexcept {
  if (!kKeeps) return std::free(memory);
  kept_blocks().give({memory, block_size(bytes)});
}

}  // namespace paco::core
