// The solver behind match(). Works on costs (weight negated) with at least as many columns as rows.
//
// Invariants of the dual values, from the first row to the last: cost(i, j) >= u(i) + v(j), with
// equality on matched pairs; v(j) <= 0, and v(j) = 0 while column j is free. As a free column
// exists until the last row is matched, u(i) <= 0, every dual value lies within the largest weight
// of 0 and every distance within 4 times that, so nothing overflows.
//
// What makes cells of weight 0 cheap: a row reached at distance `length` offers length - u(i) -
// v(j) to each of them. To a free column that is the row's offset, length - u(i), and no matched
// column is offered less. So the smallest offset so far is the distance of every free column that
// no cell brings nearer, and where it is the smallest distance of all, the path ends in a free
// column: columns that are matched are reached through cells alone.
#include "math/assignment.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace paco::math {
namespace {

// The open columns of one search. The list starts with the last column; when a column leaves, the
// last entry of the list takes its place. The place in the list decides ties between equally near
// columns. Only the changes of a search are stored, so that a new search starts at no cost.
class OpenColumns {
 public:
  explicit OpenColumns(std::size_t columns)
      : columns_(columns), places_(columns), members_(columns) {}

  void restart() {
    ++search_;
    open_ = columns_;
    moved_.clear();
  }
  std::size_t place(std::uint32_t column) const {
    return moved(column) ? places_[column].value : columns_ - 1 - column;
  }
  bool moved(std::uint32_t column) const { return places_[column].search == search_; }
  const std::vector<std::uint32_t>& moved() const { return moved_; }

  void remove(std::uint32_t column) {
    --open_;
    const auto last = members_[open_].search == search_
                          ? members_[open_].value
                          : static_cast<std::uint32_t>(columns_ - 1 - open_);
    const std::size_t at = place(column);
    members_[at] = {search_, last};
    places_[last] = {search_, static_cast<std::uint32_t>(at)};
    moved_.push_back(last);
  }

 private:
  struct Changed {
    std::uint32_t search = 0;  // the search in which the value was set
    std::uint32_t value = 0;
  };
  std::size_t columns_;
  std::size_t open_ = 0;
  std::uint32_t search_ = 0;
  std::vector<Changed> places_;   // of each column
  std::vector<Changed> members_;  // at each place
  std::vector<std::uint32_t> moved_;
};

// The set of free columns. Columns are removed one by one and never added again.
class FreeColumns {
 public:
  explicit FreeColumns(std::size_t columns) : next_(columns + 1) {
    std::iota(next_.begin(), next_.end(), 0U);
  }
  bool holds(std::uint32_t column) const { return next_[column] == column; }
  void take(std::uint32_t column) { next_[column] = column + 1; }
  // The first free column at or after `column`; the number of columns if there is none.
  std::uint32_t first_from(std::uint32_t column) {
    std::uint32_t found = column;
    while (next_[found] != found) found = next_[found];
    while (next_[column] != found) column = std::exchange(next_[column], found);
    return found;
  }

 private:
  std::vector<std::uint32_t>
      next_;  // itself if it is free, otherwise one nearer to the next free column
};

class Solver {
 public:
  // rows <= columns; the cells of row i are those from starts[i] to starts[i + 1].
  Solver(std::size_t rows, std::size_t columns, std::vector<std::size_t> starts,
         std::vector<std::pair<std::uint32_t, std::int64_t>> cells)
      : starts_(std::move(starts)),
        cells_(std::move(cells)),
        u_(rows, 0),
        v_(columns, 0),
        column_(rows, kUnmatched),
        row_(columns, kUnmatched),
        reached_(columns),
        open_(columns),
        free_(columns) {}

  void solve(const std::stop_token& stop) {
    for (std::size_t i = 0; i < u_.size() && !stop.stop_requested(); ++i) augment(i);
  }
  std::vector<std::int64_t> take_column_of_row() { return std::move(column_); }
  std::vector<std::int64_t> take_row_of_column() { return std::move(row_); }

 private:
  // How a column was reached through a cell, in the present search.
  struct Reached {
    std::size_t search = 0;
    std::int64_t distance = 0;
    std::uint32_t before = 0;  // the row
    std::uint32_t step = 0;    // of the search
    bool closed = false;
  };
  // The smallest offset of a row so far, and the first row with that offset.
  struct Offset {
    std::int64_t value = std::numeric_limits<std::int64_t>::max();
    std::uint32_t row = 0;
    std::uint32_t step = 0;
  };

  // Matches row `start` along the shortest path to a free column (Dijkstra over reduced costs).
  void augment(std::size_t start) {
    ++search_;
    open_.restart();
    closed_.clear();
    nearest_.clear();
    queue_ = {};
    lowest_ = {};
    std::size_t i = start;
    std::int64_t length = 0;
    for (std::uint32_t step = 0;; ++step) {
      relax(i, length, step);
      length = advance(length);
      if (length == lowest_.value) {
        const std::uint32_t end = latest_free();
        finish(start, end, length, row_before(end));
        return;
      }
      const std::uint32_t column = choose();
      if (free_.holds(column)) {
        finish(start, column, length, reached_[column].before);
        return;
      }
      open_.remove(column);
      reached_[column].closed = true;
      closed_.push_back(column);
      i = static_cast<std::size_t>(row_[column]);
    }
  }

  // Continues the search from row i, which is at distance `length`.
  void relax(std::size_t i, std::int64_t length, std::uint32_t step) {
    const std::int64_t offset = length - u_[i];
    const auto row = static_cast<std::uint32_t>(i);
    if (offset < lowest_.value) lowest_ = {offset, row, step};
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
      const auto [column, weight] = cells_[k];
      Reached& reached = reached_[column];
      const std::int64_t through = offset - weight - v_[column];
      if (reached.search == search_ && through >= reached.distance) continue;
      reached = {search_, through, row, step, false};
      queue_.emplace(through, column);
    }
  }

  // Returns the smallest distance of an open column; nearest_ then has the columns that a cell puts
  // at this distance.
  std::int64_t advance(std::int64_t length) {
    if (nearest_.empty()) {
      while (!queue_.empty() && outdated(queue_.top())) queue_.pop();
      length = queue_.empty() ? lowest_.value : std::min(lowest_.value, queue_.top().first);
    }
    while (!queue_.empty() && queue_.top().first == length) {
      if (!outdated(queue_.top())) nearest_.push_back(queue_.top().second);
      queue_.pop();
    }
    return length;
  }

  bool outdated(const std::pair<std::int64_t, std::uint32_t>& entry) const {
    const Reached& reached = reached_[entry.second];
    return reached.closed || reached.distance != entry.first;
  }

  // Takes the next column out of nearest_; this decides ties. Among them it takes the free column
  // latest in the list of open columns, or if none is free the earliest column.
  std::uint32_t choose() {
    std::size_t chosen = 0;
    for (std::size_t k = 1; k < nearest_.size(); ++k) {
      const bool free = free_.holds(nearest_[k]), chosen_free = free_.holds(nearest_[chosen]);
      const std::size_t at = open_.place(nearest_[k]), before = open_.place(nearest_[chosen]);
      if (free != chosen_free ? free : free ? at > before : at < before) chosen = k;
    }
    const std::uint32_t column = nearest_[chosen];
    nearest_[chosen] = nearest_.back();
    nearest_.pop_back();
    return column;
  }

  // The free column latest in the list of open columns. Among columns that have not moved this is
  // the lowest.
  std::uint32_t latest_free() {
    std::uint32_t latest = free_.first_from(0);
    while (latest < row_.size() && open_.moved(latest)) latest = free_.first_from(latest + 1);
    for (const std::uint32_t column : open_.moved()) {
      if (!free_.holds(column)) continue;
      if (latest == row_.size() || open_.place(column) > open_.place(latest)) latest = column;
    }
    return latest;
  }

  // The row that first brought a free column to the smallest offset: a row with a cell in this
  // column, or the row with that offset.
  std::uint32_t row_before(std::uint32_t column) const {
    const Reached& reached = reached_[column];
    const bool by_cell = reached.search == search_ && reached.distance == lowest_.value &&
                         reached.step < lowest_.step;
    return by_cell ? reached.before : lowest_.row;
  }

  // Updates the dual values, then matches every column on the path with the row before it.
  void finish(std::size_t start, std::uint32_t end, std::int64_t length, std::uint32_t before) {
    u_[start] += length;
    for (const std::uint32_t column : closed_) {
      const std::int64_t change = length - reached_[column].distance;
      u_[static_cast<std::size_t>(row_[column])] += change;
      v_[column] -= change;
    }
    free_.take(end);
    auto column = static_cast<std::int64_t>(end);
    std::size_t i = before;
    while (true) {
      row_[static_cast<std::size_t>(column)] = static_cast<std::int64_t>(i);
      std::swap(column, column_[i]);
      if (i == start) return;
      i = reached_[static_cast<std::size_t>(column)].before;
    }
  }

  std::vector<std::size_t> starts_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> cells_;  // (column, weight)
  std::vector<std::int64_t> u_;                                // dual value of each row
  std::vector<std::int64_t> v_;                                // dual value of each column
  std::vector<std::int64_t> column_;                           // of each row
  std::vector<std::int64_t> row_;                              // of each column
  std::vector<Reached> reached_;                               // each column
  OpenColumns open_;
  FreeColumns free_;
  std::size_t search_ = 0;
  Offset lowest_;
  std::vector<std::uint32_t> closed_;   // columns with a final distance, none of them free
  std::vector<std::uint32_t> nearest_;  // open columns that cells put at the present distance
  std::priority_queue<std::pair<std::int64_t, std::uint32_t>,
                      std::vector<std::pair<std::int64_t, std::uint32_t>>, std::greater<>>
      queue_;  // (distance, column); a column may also have entries with older, larger distances
};

}  // namespace

WeightTable weight_table(Rows<const std::int64_t> weights) {
  WeightTable table{weights.rows, weights.columns, {}};
  for (std::uint32_t i = 0; i < weights.rows; ++i) {
    for (std::uint32_t j = 0; j < weights.columns; ++j) {
      if (weights[i][j] > 0) table.cells.push_back({i, j, weights[i][j]});
    }
  }
  return table;
}

Matching match(const WeightTable& table, std::stop_token stop) {
  const bool transposed = table.rows > table.columns;
  const std::size_t rows = std::min(table.rows, table.columns);
  const std::size_t columns = std::max(table.rows, table.columns);
  std::vector<std::size_t> starts(rows + 1, 0);
  const auto row_of = [&](const WeightTable::Cell& cell) {
    return transposed ? cell.column : cell.row;
  };
  for (const WeightTable::Cell& cell : table.cells) {
    assert(cell.weight > 0 && cell.weight <= kLargestWeight);
    ++starts[row_of(cell) + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::pair<std::uint32_t, std::int64_t>> cells(table.cells.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const WeightTable::Cell& cell : table.cells) {
    cells[next[row_of(cell)]++] = {transposed ? cell.row : cell.column, cell.weight};
  }
  Solver solver(rows, columns, std::move(starts), std::move(cells));
  solver.solve(stop);
  Matching matching{solver.take_column_of_row(), solver.take_row_of_column()};
  if (transposed) std::swap(matching.column_of_row, matching.row_of_column);
  return matching;
}

}  // namespace paco::math
