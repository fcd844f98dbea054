#include "sphere/standardise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/threads.hpp"
#include "linalg/kernels.hpp"

namespace paco {

SupportStatistics support_statistics(Rows<const double> embeddings, double epsilon) {
  const std::size_t d = embeddings.columns;
  const auto n = static_cast<double>(embeddings.rows);
  SupportStatistics out{std::vector<double>(d), std::vector<double>(d)};
  for (std::size_t row = 0; row < embeddings.rows; ++row) {
    const auto h = embeddings[row];
    for (std::size_t j = 0; j < d; ++j) out.mean[j] += h[j];
  }
  for (double& m : out.mean) m /= n;
  for (std::size_t row = 0; row < embeddings.rows; ++row) {
    const auto h = embeddings[row];
    for (std::size_t j = 0; j < d; ++j) {
      const double centred = h[j] - out.mean[j];
      out.deviation[j] += centred * centred;
    }
  }
  for (double& v : out.deviation) v = std::sqrt(v / n + epsilon);
  return out;
}

RowFault standardise_row(std::span<const double> raw, std::span<const double> mean,
                         std::span<const double> deviation, std::span<float> unit) {
  const double squared =
      standardise(raw.data(), mean.data(), deviation.data(), unit.data(), raw.size());
  if (std::isfinite(squared) && squared > 0) {
    const bool zero = std::all_of(raw.begin(), raw.end(), [](double x) { return x == 0; });
    return zero ? RowFault::all_zero : RowFault::none;
  }
  const bool finite =
      std::all_of(raw.begin(), raw.end(), [](double x) { return std::isfinite(x); });
  return finite ? RowFault::no_direction : RowFault::not_finite;
}

namespace {

Error row_error(RowFault fault, const std::string& what, std::uint64_t row,
                std::span<const double> raw) {
  switch (fault) {
    case RowFault::not_finite: {
      const auto bad =
          std::find_if(raw.begin(), raw.end(), [](double x) { return !std::isfinite(x); });
      return {ErrorCode::bad_value,
              fmt::format("{}: row {} has {} at column {}", what, row, *bad, bad - raw.begin()),
              "remove the row, or embed that sample again"};
    }
    case RowFault::all_zero:
      return {ErrorCode::bad_value, fmt::format("{}: row {} is all zeros", what, row),
              "a zero embedding has no direction; remove the row, or embed that sample again"};
    default:
      return {ErrorCode::bad_value,
              fmt::format("{}: row {} has no direction after standardisation", what, row),
              "it equals the support mean, or its values are too large for double precision"};
  }
}

}  // namespace

Result<void> standardise_rows(Rows<const double> raw, std::span<const double> mean,
                              std::span<const double> deviation, Rows<float> unit,
                              const std::string& what, std::uint64_t first_row, ThreadPool& pool) {
  std::atomic<std::size_t> first_bad{raw.rows};
  const auto range = [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      if (standardise_row(raw[row], mean, deviation, unit[row]) == RowFault::none) continue;
      std::size_t seen = first_bad.load();
      while (row < seen && !first_bad.compare_exchange_weak(seen, row)) {
      }
      return;
    }
  };
  pool.parallel_for(raw.rows, 64, range);
  const std::size_t bad = first_bad.load();
  if (bad == raw.rows) return {};
  return row_error(standardise_row(raw[bad], mean, deviation, unit[bad]), what, first_row + bad,
                   raw[bad]);
}

}  // namespace paco
