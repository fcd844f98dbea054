// Lists the samples of each prototype, so that members can be paged without reading the stream. It
// is kept in memory next to the journal and built from it when a stream is opened.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "paco/operation.hpp"

namespace paco::insight {

// One writer, any number of readers.
class MemberIndex {
 public:
  void add(std::uint64_t sequence, PrototypeId prototype);
  // Applies the moves of an operation.
  void apply(std::span<const Edit> edits);

  std::uint64_t count(std::span<const PrototypeId> prototypes) const;
  // At most `limit` members in stream order, starting at `from`; if `backwards`, going down from
  // `from`.
  std::vector<std::uint64_t> page(std::span<const PrototypeId> prototypes, std::uint64_t from,
                                  std::size_t limit, bool backwards) const;

 private:
  void insert(PrototypeId prototype, std::uint64_t sequence);

  mutable std::mutex mutex_;
  std::vector<std::vector<std::uint64_t>> members_;  // by prototype, ascending
};

}  // namespace paco::insight
