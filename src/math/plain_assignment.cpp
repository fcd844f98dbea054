// The assignment on the whole table, in plain loops: slow and with much memory, but simple. It
// checks match() and has no other use.
#include <limits>
#include <numeric>
#include <utility>

#include "math/assignment.hpp"
#include "math/matrix.hpp"

namespace paco::math {
namespace {

// Shortest augmenting paths over costs (weight negated), rows <= columns. Ties: open columns are in
// a list that starts with the last column, and when one leaves, the last entry of the list takes
// its place. Among the nearest columns, the free one latest in the list is next; if none is free,
// the earliest.
class PlainSolver {
 public:
  explicit PlainSolver(Rows<const std::int64_t> cost)
      : cost_(cost),
        u_(cost.rows, 0),
        v_(cost.columns, 0),
        column_(cost.rows, kUnmatched),
        row_(cost.columns, kUnmatched) {}

  Matching solve() {
    for (std::size_t i = 0; i < cost_.rows; ++i) augment(i);
    return {column_, row_};
  }

 private:
  void augment(std::size_t start) {
    const std::size_t n = cost_.columns;
    std::vector<std::size_t> open(n), closed;
    std::iota(open.rbegin(), open.rend(), std::size_t{0});
    std::vector<std::int64_t> distance(n, std::numeric_limits<std::int64_t>::max());
    std::vector<std::size_t> before(n);
    std::size_t i = start;
    std::int64_t length = 0;
    while (true) {
      std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
      std::size_t chosen = 0;  // place in the list
      for (std::size_t place = 0; place < open.size(); ++place) {
        const std::size_t j = open[place];
        const std::int64_t through = length + cost_[i][j] - u_[i] - v_[j];
        if (through < distance[j]) {
          distance[j] = through;
          before[j] = i;
        }
        if (distance[j] < smallest || (distance[j] == smallest && row_[j] == kUnmatched)) {
          smallest = distance[j];
          chosen = place;
        }
      }
      length = smallest;
      const std::size_t column = open[chosen];
      open[chosen] = open.back();
      open.pop_back();
      if (row_[column] == kUnmatched) {
        finish(start, column, length, closed, distance, before);
        return;
      }
      closed.push_back(column);
      i = static_cast<std::size_t>(row_[column]);
    }
  }

  void finish(std::size_t start, std::size_t end, std::int64_t length,
              const std::vector<std::size_t>& closed, const std::vector<std::int64_t>& distance,
              const std::vector<std::size_t>& before) {
    u_[start] += length;
    for (const std::size_t column : closed) {
      u_[static_cast<std::size_t>(row_[column])] += length - distance[column];
      v_[column] -= length - distance[column];
    }
    auto column = static_cast<std::int64_t>(end);
    while (true) {
      const std::size_t i = before[static_cast<std::size_t>(column)];
      row_[static_cast<std::size_t>(column)] = static_cast<std::int64_t>(i);
      std::swap(column, column_[i]);
      if (i == start) return;
    }
  }

  Rows<const std::int64_t> cost_;
  std::vector<std::int64_t> u_, v_;         // dual values of rows and columns
  std::vector<std::int64_t> column_, row_;  // of each row, of each column
};

}  // namespace

Matching plain_match(Rows<const std::int64_t> weights) {
  const bool transposed = weights.rows > weights.columns;
  Matrix<std::int64_t> cost(transposed ? weights.columns : weights.rows,
                            transposed ? weights.rows : weights.columns);
  for (std::size_t i = 0; i < weights.rows; ++i) {
    for (std::size_t j = 0; j < weights.columns; ++j) {
      (transposed ? cost[j][i] : cost[i][j]) = -weights[i][j];
    }
  }
  Matching matching = PlainSolver(cost.view()).solve();
  if (transposed) std::swap(matching.column_of_row, matching.row_of_column);
  return matching;
}

}  // namespace paco::math
