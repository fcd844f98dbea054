#include "plain.hpp"

#include <cmath>
#include <limits>

namespace paco::bench {

std::int64_t plain_best_weight(Rows<const std::int64_t> weights) {
  const std::size_t m = weights.rows, n = weights.columns;
  const double far = std::numeric_limits<double>::infinity();
  // Row and column 0 are virtual; cost is the weight negated.
  std::vector<double> u(m + 1, 0.0), v(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0), way(n + 1, 0);
  for (std::size_t i = 1; i <= m; ++i) {
    row_of[0] = i;
    std::size_t column = 0;
    std::vector<double> distance(n + 1, far);
    std::vector<bool> used(n + 1, false);
    do {
      used[column] = true;
      const std::size_t row = row_of[column];
      double smallest = far;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= n; ++j) {
        if (used[j]) continue;
        const double reduced = -static_cast<double>(weights[row - 1][j - 1]) - u[row] - v[j];
        if (reduced < distance[j]) {
          distance[j] = reduced;
          way[j] = column;
        }
        if (distance[j] < smallest) {
          smallest = distance[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= n; ++j) {
        if (used[j]) {
          u[row_of[j]] += smallest;
          v[j] -= smallest;
        } else {
          distance[j] -= smallest;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = way[column]) row_of[column] = row_of[way[column]];
  }
  std::int64_t total = 0;
  for (std::size_t j = 1; j <= n; ++j) {
    if (row_of[j] != 0) total += weights[row_of[j] - 1][j - 1];
  }
  return total;
}

}  // namespace paco::bench
