// The solver behind match(). Works on costs (weight negated) with at least as many columns as rows.
//
// Invariants of the dual values, from the first row to the last: cost(i, j) >= u(i) + v(j), with
// equality on matched pairs; v(j) <= 0, and v(j) = 0 while column j is free. As a free column
// exists until the last row is matched, every dual value lies within the largest weight of 0 and
// every distance within 4 times that, so T cannot overflow.
#include "evaluate/match.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "linalg/matrix.hpp"

namespace paco {
namespace {

// T is int32 where the weights are small enough, else int64: the same steps, half the width, four
// times the speed.
template <class T>
constexpr std::int64_t kLargest = (std::int64_t{1} << (sizeof(T) * 8 - 5)) - 1;

template <class T>
class Solver {
 public:
  // cost is (m, n) with m <= n, each from -kLargest<T> to 0.
  explicit Solver(Rows<const T> cost)
      : cost_(cost),
        u_(cost.rows, 0),
        v_(cost.columns, 0),
        column_(cost.rows, kUnmatched),
        row_(cost.columns, kUnmatched),
        distance_(cost.columns),
        out_(cost.columns),
        before_(cost.columns),
        open_(cost.columns),
        place_(cost.columns),
        block_smallest_((cost.columns + kBlock - 1) / kBlock) {}

  void solve() {
    for (std::size_t i = 0; i < cost_.rows; ++i) augment(i);
  }

  std::vector<std::int64_t> take_column_of_row() { return std::move(column_); }
  std::vector<std::int64_t> take_row_of_column() { return std::move(row_); }

 private:
  static constexpr std::size_t kBlock = 256;  // columns that are scanned in one piece
  // Added to the distance of a column that is done with: farther than any other, without overflow.
  static constexpr T kOut = std::numeric_limits<T>::max() / 2;

  // Matches row `start` along the shortest path to a free column (Dijkstra over reduced costs).
  void augment(std::size_t start) {
    const std::size_t n = cost_.columns;
    for (std::size_t k = 0; k < n; ++k) {
      open_[k] = static_cast<std::uint32_t>(n - 1 - k);
      place_[n - 1 - k] = static_cast<std::uint32_t>(k);
    }
    std::fill(distance_.begin(), distance_.end(), kOut);
    std::fill(out_.begin(), out_.end(), T{0});
    closed_.clear();
    std::size_t open = n;
    std::size_t i = start;
    T length = 0;
    while (true) {
      length = relax(i, length);
      const std::size_t column = choose(length);
      // The last open column takes the place of the chosen one.
      const std::uint32_t last = open_[--open];
      open_[place_[column]] = last;
      place_[last] = place_[column];
      if (row_[column] == kUnmatched) {
        update_duals(start, length);
        turn_path(start, column);
        return;
      }
      out_[column] = kOut;
      closed_.push_back(column);
      i = static_cast<std::size_t>(row_[column]);
    }
  }

  // Goes on from row i, itself at distance `length`; returns the smallest distance of an open
  // column. A closed column cannot come nearer, so the loop needs no exceptions and compiles to
  // vector code.
  T relax(std::size_t i, T length) {
    const T* costs = cost_[i].data();
    const T offset = length - u_[i];
    const auto from = static_cast<std::int32_t>(i);
    T smallest = std::numeric_limits<T>::max();
    for (std::size_t block = 0; block < block_smallest_.size(); ++block) {
      const std::size_t first = block * kBlock;
      const std::size_t last = std::min(first + kBlock, cost_.columns);
      block_smallest_[block] =
          relax_block(costs + first, v_.data() + first, out_.data() + first,
                      distance_.data() + first, before_.data() + first, last - first, offset, from);
      smallest = std::min(smallest, block_smallest_[block]);
    }
    return smallest;
  }

  static T relax_block(const T* __restrict costs, const T* __restrict v, const T* __restrict out,
                       T* __restrict distance, std::int32_t* __restrict before, std::size_t count,
                       T offset, std::int32_t from) {
    T smallest = std::numeric_limits<T>::max();
    for (std::size_t j = 0; j < count; ++j) {
      const T through = costs[j] - v[j] + offset;
      const bool nearer = through < distance[j];
      distance[j] = nearer ? through : distance[j];
      before[j] = nearer ? from : before[j];
      const T reach = distance[j] + out[j];
      smallest = reach < smallest ? reach : smallest;
    }
    return smallest;
  }

  // Which of the open columns at the smallest distance comes next; this decides all ties. Open
  // columns stand in a list that starts with the last column; of those at hand the free one latest
  // in the list is taken, else the earliest.
  std::size_t choose(T length) const {
    std::size_t chosen = cost_.columns;
    bool chosen_free = false;
    for (std::size_t block = 0; block < block_smallest_.size(); ++block) {
      if (block_smallest_[block] != length) continue;
      const std::size_t last = std::min((block + 1) * kBlock, cost_.columns);
      for (std::size_t j = block * kBlock; j < last; ++j) {
        if (distance_[j] + out_[j] != length) continue;
        const bool free = row_[j] == kUnmatched;
        if (chosen == cost_.columns || (free && !chosen_free) ||
            (free == chosen_free &&
             (free ? place_[j] > place_[chosen] : place_[j] < place_[chosen]))) {
          chosen = j;
          chosen_free = free;
        }
      }
    }
    return chosen;
  }

  void update_duals(std::size_t start, T length) {
    u_[start] += length;
    for (const std::size_t column : closed_) {
      u_[static_cast<std::size_t>(row_[column])] += length - distance_[column];
      v_[column] -= length - distance_[column];
    }
  }

  // Gives every column on the path to the row before it.
  void turn_path(std::size_t start, std::size_t end) {
    auto column = static_cast<std::int64_t>(end);
    while (true) {
      const auto i = static_cast<std::size_t>(before_[static_cast<std::size_t>(column)]);
      row_[static_cast<std::size_t>(column)] = static_cast<std::int64_t>(i);
      std::swap(column, column_[i]);
      if (i == start) return;
    }
  }

  Rows<const T> cost_;
  std::vector<T> u_;                  // dual value of each row
  std::vector<T> v_;                  // dual value of each column
  std::vector<std::int64_t> column_;  // of each row
  std::vector<std::int64_t> row_;     // of each column
  std::vector<T> distance_;           // of each column, by the shortest path found so far
  std::vector<T> out_;                // kOut for a closed column, else 0
  std::vector<std::int32_t> before_;  // row from which a column was reached
  std::vector<std::uint32_t> open_;   // list of the open columns ...
  std::vector<std::uint32_t> place_;  // ... and where in it each stands
  std::vector<std::size_t> closed_;   // columns reached for good, none of them free
  std::vector<T> block_smallest_;     // smallest distance of an open column in each block
};

template <class T>
Matching solve(Rows<const std::int64_t> weights) {
  const bool transposed = weights.rows > weights.columns;
  Matrix<T> cost(std::min(weights.rows, weights.columns), std::max(weights.rows, weights.columns));
  for (std::size_t i = 0; i < weights.rows; ++i) {
    for (std::size_t j = 0; j < weights.columns; ++j) {
      (transposed ? cost[j][i] : cost[i][j]) = static_cast<T>(-weights[i][j]);
    }
  }
  Solver<T> solver(cost.view());
  solver.solve();
  Matching matching{solver.take_column_of_row(), solver.take_row_of_column()};
  if (transposed) std::swap(matching.column_of_row, matching.row_of_column);
  return matching;
}

}  // namespace

Matching match(Rows<const std::int64_t> weights) {
  std::int64_t largest = 0;
  for (std::size_t k = 0; k < weights.rows * weights.columns; ++k) {
    assert(weights.data[k] >= 0);
    largest = std::max(largest, weights.data[k]);
  }
  assert(largest <= kLargestWeight);
  return largest <= kLargest<std::int32_t> ? solve<std::int32_t>(weights)
                                           : solve<std::int64_t>(weights);
}

}  // namespace paco
