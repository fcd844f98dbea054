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

namespace paco {

// Per sample: is it the first of its kind? With truth, the first sample of each class at or above
// known_classes; without, a sample that started a category.
std::vector<std::uint8_t> first_occurrences(const ReportInput& input);

// Indices of at most `limit` samples, rising; more than that only where `must` marks more.
std::vector<std::size_t> thin(std::span<const std::uint8_t> must, std::size_t limit);

}  // namespace paco
