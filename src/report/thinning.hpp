// Selects the samples that are drawn as separate points if a stream has more samples than a page
// can contain.
//
// Every birth and every first occurrence of a novel class is kept. Of the other samples an even
// share in stream order is kept, so dense regions stay dense. No randomness: the same stream gives
// the same points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "report/report.hpp"

namespace paco::report {

// Places of the first samples of their kind, ascending. With truth, the first sample of each class
// at or above known_classes; without truth, the samples that started a category.
std::vector<std::size_t> first_occurrences(const ReportInput& input);

// Places of at most `limit` of `samples`, ascending. There are more only if more must stay. `must`
// are the places that must stay, ascending.
std::vector<std::size_t> thin(std::size_t samples, std::span<const std::size_t> must,
                              std::size_t limit);

}  // namespace paco::report
