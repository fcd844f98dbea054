// Along which axes the cost of a decision is measured; one file each.
#pragma once

#include "bench/common/synthetic_shapes.hpp"
#include "harness.hpp"
#include "paco/method.hpp"

namespace paco::bench {

void grow_known_classes(Harness& harness);  // 10 to 10,000
void grow_categories(Harness& harness);     // to 1,000,000 at d = 128, to 100,000 at d = 768
void grow_dimension(Harness& harness);      // 64 to 4,096
void grow_stream(Harness& harness);         // to 10 million samples

// Decides on the first rows in eight blocks, then on the others one by one, and adds both medians
// with the axis and where on it they stand.
void add_decisions(Harness& harness, Method& method, Rows<const double> block_rows,
                   Rows<const double> single_rows, const std::string& axis, std::size_t at);

}  // namespace paco::bench
