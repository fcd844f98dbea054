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

namespace {

bool is_finite(double x) { return std::isfinite(x); }

// What is wrong with a row whatever it is compared with.
RowFault own_fault(std::span<const double> raw) {
  if (std::all_of(raw.begin(), raw.end(), [](double x) { return x == 0; }))
    return RowFault::all_zero;
  return std::all_of(raw.begin(), raw.end(), is_finite) ? RowFault::none : RowFault::not_finite;
}

}  // namespace

RowFault standardise_row(std::span<const double> raw, std::span<const double> mean,
                         std::span<const double> deviation, std::span<float> unit) {
  const double squared =
      standardise(raw.data(), mean.data(), deviation.data(), unit.data(), raw.size());
  // Below this the square has lost digits, and the result would not have length 1.
  constexpr double kShortest = 1e-280;
  if (std::isfinite(squared) && squared >= kShortest) {
    const bool zero = std::all_of(raw.begin(), raw.end(), [](double x) { return x == 0; });
    return zero ? RowFault::all_zero : RowFault::none;
  }
  const RowFault own = own_fault(raw);
  return own == RowFault::none ? RowFault::no_direction : own;
}

namespace {

Error row_error(RowFault fault, const std::string& what, std::uint64_t row,
                std::span<const double> raw) {
  switch (fault) {
    case RowFault::not_finite: {
      const auto bad = std::find_if_not(raw.begin(), raw.end(), is_finite);
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

Result<void> check_rows(Rows<const double> raw, const std::string& what) {
  for (std::size_t row = 0; row < raw.rows; ++row) {
    const RowFault fault = own_fault(raw[row]);
    if (fault != RowFault::none) return row_error(fault, what, row, raw[row]);
  }
  return {};
}

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
