// Which samples are drawn as points of their own when a stream has more than a page can carry.
//
// Every birth and every first occurrence of a novel class is kept; of the others an even share in
// stream order, so dense regions stay dense. No randomness: the same stream gives the same points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "report/report.hpp"

namespace paco::report {

// Places of the samples that are the first of their kind, rising. With truth, the first sample of
// each class at or above known_classes; without, those that started a category.
std::vector<std::size_t> first_occurrences(const ReportInput& input);

// Places of at most `limit` of `samples`, rising; more than that only if more must stay. `must`:
// the places that do, rising.
std::vector<std::size_t> thin(std::size_t samples, std::span<const std::size_t> must,
                              std::size_t limit);

}  // namespace paco::report
