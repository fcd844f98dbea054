// From raw embeddings to points on the unit sphere (section "standardised spherical embedding" of
// the method): every coordinate is centred and scaled by the support set's statistics, the result
// is normalised.
//
// Computed in double, stored as float32; all later steps use the stored values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "math/matrix.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::core {
class ThreadPool;
}

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

struct SupportStatistics {
  std::vector<double> mean;       // (d)
  std::vector<double> deviation;  // (d) sqrt(population variance + epsilon)
};

// Rows are added in order, so the result does not depend on threads.
SupportStatistics support_statistics(Rows<const double> embeddings, double epsilon);
// The same for the given rows, in the given order.
SupportStatistics support_statistics(Rows<const double> embeddings,
                                     std::span<const std::size_t> chosen, double epsilon);

// Reasons why a row has no point on the sphere.
enum class RowFault : std::uint8_t { none, not_finite, all_zero, no_direction };

RowFault standardise_row(std::span<const double> raw, std::span<const double> mean,
                         std::span<const double> deviation, std::span<float> unit);

// What is wrong with a row, without its subject ("has nan at column 3"), or nothing.
std::optional<Error> row_fault(std::span<const double> raw, std::span<const double> mean,
                               std::span<const double> deviation);

// Checks that the embeddings have the model's dimension and that there is room for every decision.
// Every method uses this check, so all give the same messages.
Result<void> check_block_shape(Rows<const double> embeddings, std::size_t dimension,
                               std::size_t room);

// The reason why check_block_shape or row_fault would refuse this single sample, or nothing.
std::optional<Error> sample_fault(std::span<const double> raw, std::span<const double> mean,
                                  std::span<const double> deviation);

// Returns an error that names the first row that is zero or not finite. Used for the support set,
// because one such row would make its statistics useless for all samples.
Result<void> check_rows(Rows<const double> raw, const std::string& what);

// Standardises all rows, or returns an error that names the first bad row as `first_row` + its
// index. `what` is the start of the message.
Result<void> standardise_rows(Rows<const double> raw, std::span<const double> mean,
                              std::span<const double> deviation, Rows<float> unit,
                              const std::string& what, std::uint64_t first_row,
                              core::ThreadPool& pool);

}  // namespace paco::methods
