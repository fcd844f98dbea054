#include "methods/common/standardise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/threads.hpp"
#include "math/kernels.hpp"

namespace paco::methods {

namespace {

constexpr const char* kOneBackbone = "embed support set and stream with the same backbone";

// row_of(i) is the i-th of `rows` rows.
template <class RowOf>
SupportStatistics statistics_of(std::size_t rows, std::size_t d, RowOf row_of, double epsilon) {
  const auto n = static_cast<double>(rows);
  SupportStatistics out{std::vector<double>(d), std::vector<double>(d)};
  for (std::size_t row = 0; row < rows; ++row) {
    const auto h = row_of(row);
    for (std::size_t j = 0; j < d; ++j) out.mean[j] += h[j];
  }
  for (double& m : out.mean) m /= n;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto h = row_of(row);
    for (std::size_t j = 0; j < d; ++j) {
      const double centred = h[j] - out.mean[j];
      out.deviation[j] += centred * centred;
    }
  }
  for (double& v : out.deviation) v = std::sqrt(v / n + epsilon);
  return out;
}

}  // namespace

SupportStatistics support_statistics(Rows<const double> embeddings, double epsilon) {
  return statistics_of(
      embeddings.rows, embeddings.columns, [&](std::size_t row) { return embeddings[row]; },
      epsilon);
}

SupportStatistics support_statistics(Rows<const double> embeddings,
                                     std::span<const std::size_t> chosen, double epsilon) {
  return statistics_of(
      chosen.size(), embeddings.columns, [&](std::size_t row) { return embeddings[chosen[row]]; },
      epsilon);
}

namespace {

bool is_finite(double x) { return std::isfinite(x); }

// Checks a row on its own, regardless of the statistics.
RowFault own_fault(std::span<const double> raw) {
  if (std::all_of(raw.begin(), raw.end(), [](double x) { return x == 0; }))
    return RowFault::all_zero;
  return std::all_of(raw.begin(), raw.end(), is_finite) ? RowFault::none : RowFault::not_finite;
}

}  // namespace

RowFault standardise_row(std::span<const double> raw, std::span<const double> mean,
                         std::span<const double> deviation, std::span<float> unit) {
  const double squared =
      math::standardise(raw.data(), mean.data(), deviation.data(), unit.data(), raw.size());
  // Below this length the square has lost digits, and the result would not have length 1.
  constexpr double kShortest = 1e-280;
  if (std::isfinite(squared) && squared >= kShortest) {
    const bool zero = std::all_of(raw.begin(), raw.end(), [](double x) { return x == 0; });
    return zero ? RowFault::all_zero : RowFault::none;
  }
  const RowFault own = own_fault(raw);
  return own == RowFault::none ? RowFault::no_direction : own;
}

namespace {

// The error text, without its subject.
Error fault_error(RowFault fault, std::span<const double> raw) {
  switch (fault) {
    case RowFault::not_finite: {
      const auto bad = std::find_if_not(raw.begin(), raw.end(), is_finite);
      return {ErrorCode::bad_value, fmt::format("has {} at column {}", *bad, bad - raw.begin()),
              "remove the row, or embed that sample again"};
    }
    case RowFault::all_zero:
      return {ErrorCode::bad_value, "is all zeros",
              "a zero embedding has no direction; remove the row, or embed that sample again"};
    default:
      return {ErrorCode::bad_value, "has no direction after standardisation",
              "it equals the support mean, or its values are too large for double precision"};
  }
}

Error row_error(RowFault fault, const std::string& what, std::uint64_t row,
                std::span<const double> raw) {
  Error error = fault_error(fault, raw);
  error.message = fmt::format("{}: row {} {}", what, row, error.message);
  return error;
}

}  // namespace

std::optional<Error> row_fault(std::span<const double> raw, std::span<const double> mean,
                               std::span<const double> deviation) {
  std::vector<float> unit(raw.size());
  const RowFault fault = standardise_row(raw, mean, deviation, unit);
  if (fault == RowFault::none) return std::nullopt;
  return fault_error(fault, raw);
}

Result<void> check_block_shape(Rows<const double> embeddings, std::size_t dimension,
                               std::size_t room) {
  if (embeddings.columns != dimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("embeddings have {} columns, the model expects {}", embeddings.columns,
                             dimension),
                 kOneBackbone};
  }
  if (embeddings.rows != room) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} embeddings but room for {} decisions", embeddings.rows, room),
                 "give one decision for every row"};
  }
  return {};
}

std::optional<Error> sample_fault(std::span<const double> raw, std::span<const double> mean,
                                  std::span<const double> deviation) {
  if (raw.size() != mean.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("has {} values, the model expects {}", raw.size(), mean.size()),
                 kOneBackbone};
  }
  return row_fault(raw, mean, deviation);
}

Result<void> check_rows(Rows<const double> raw, const std::string& what) {
  for (std::size_t row = 0; row < raw.rows; ++row) {
    const RowFault fault = own_fault(raw[row]);
    if (fault != RowFault::none) return row_error(fault, what, row, raw[row]);
  }
  return {};
}

Result<void> standardise_rows(Rows<const double> raw, std::span<const double> mean,
                              std::span<const double> deviation, Rows<float> unit,
                              const std::string& what, std::uint64_t first_row,
                              core::ThreadPool& pool) {
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

}  // namespace paco::methods
