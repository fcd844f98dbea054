#include "methods/mirror/pseudo_stream.hpp"

#include <algorithm>
#include <limits>

#include "math/assignment.hpp"
#include "math/gemm_deterministic.hpp"

namespace paco::methods {

PseudoStream::PseudoStream(Rows<const float> embedded, Rows<const float> references)
    : classes_(references.rows), gram_(embedded.rows, embedded.rows) {
  constexpr std::size_t kBlock = 64;
  const std::size_t n = embedded.rows;
  const math::PackedRows packed(embedded), packed_references(references);
  largest_ = -std::numeric_limits<double>::infinity();
  math::Matrix<float> cosines(std::min(kBlock, n), classes_);
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t rows = std::min(kBlock, n - first);
    math::multiply_packed(embedded.slice(first, rows), packed, gram_.data() + first * n, n, first,
                          math::Terms::fused);
    math::multiply_packed(embedded.slice(first, rows), packed_references, cosines.data(), classes_,
                          0, math::Terms::fused);
    for (std::size_t i = first; i < first + rows; ++i) {
      for (std::size_t j = 0; j < i; ++j) gram_[i][j] = gram_[j][i];
      for (std::size_t j = i + 1; j < n; ++j)
        largest_ = std::max(largest_, static_cast<double>(gram_[i][j]));
      const auto row = cosines[i - first];
      const auto best = std::max_element(row.begin(), row.end());
      known_.push_back(static_cast<std::uint32_t>(best - row.begin()));
      known_cosine_.push_back(static_cast<double>(*best));
      largest_ = std::max(largest_, known_cosine_.back());
    }
  }
}

double strict_all(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> answered) {
  const auto counted = [](std::span<const std::uint32_t> numbers) {
    std::vector<std::size_t> counts;
    for (const std::uint32_t number : numbers) {
      if (number >= counts.size()) counts.resize(number + 1, 0);
      ++counts[number];
    }
    return counts;
  };
  const std::vector<std::size_t> classes = counted(truth), sizes = counted(answered);
  std::vector<std::size_t> column(classes.size(), 0), order;
  std::size_t columns = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (classes[k] > 0) column[k] = columns++;
  }
  for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster) {
    if (sizes[cluster] > 0) order.push_back(cluster);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  order.resize(std::min(order.size(), columns));
  std::vector<std::size_t> row(sizes.size(), order.size());
  for (std::size_t r = 0; r < order.size(); ++r) row[order[r]] = r;
  math::Matrix<std::int64_t> counts(order.size(), columns);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::size_t r = row[answered[i]];
    if (r < order.size()) ++counts[r][column[truth[i]]];
  }
  const math::Matching matching = math::match(math::weight_table(counts));
  std::int64_t right = 0;
  for (std::size_t r = 0; r < counts.rows(); ++r) {
    const std::int64_t matched = matching.column_of_row[r];
    if (matched != math::kUnmatched) right += counts[r][static_cast<std::size_t>(matched)];
  }
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

}  // namespace paco::methods
