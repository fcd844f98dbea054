#include "cli/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace paco {
namespace {

// The number of single-letter edits (insert, delete, replace) between two words.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = 3;  // accept at most two edits
  for (const std::string& name : names) {
    const std::size_t edits = edits_between(word, name);
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

}  // namespace paco
