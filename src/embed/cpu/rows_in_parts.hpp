// Passes rows through a network's layers in parts, so that the data of a part stay in the cache.
#pragma once

#include <algorithm>
#include <cstddef>

namespace paco::embed {

// Calls body(first row, rows) for even parts of all rows.
template <class Body>
void over_parts(std::size_t all, const Body& body) {
  constexpr std::size_t kMostRows = 128;  // rows that pass a block's perceptron together
  constexpr std::size_t kWholeTiles = 12;
  if (all == 0) return;
  const std::size_t parts = (all + kMostRows - 1) / kMostRows;
  const std::size_t share = (all + parts - 1) / parts;
  const std::size_t rows = (share + kWholeTiles - 1) / kWholeTiles * kWholeTiles;
  for (std::size_t first = 0; first < all; first += rows) body(first, std::min(rows, all - first));
}

}  // namespace paco::embed
