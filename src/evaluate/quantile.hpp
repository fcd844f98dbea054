// Quantiles of sorted values.
#pragma once

#include <span>

namespace paco::evaluate {

// The value below which a share q of the sorted values lies, interpolated between neighbours. Must
// not be empty.
double sorted_quantile(std::span<const double> sorted, double q);

}  // namespace paco::evaluate
