// Even thinning of the samples that need not be kept.
#include "report/thinning.hpp"

#include <algorithm>
#include <unordered_set>

namespace paco::report {

std::vector<std::size_t> first_occurrences(const ReportInput& input) {
  if (input.truth.empty()) return input.stream.births;
  std::vector<std::size_t> first;
  std::unordered_set<std::int64_t> seen;
  for (std::size_t i = 0; i < input.truth.size(); ++i) {
    const std::int64_t label = input.truth[i];
    if (label >= static_cast<std::int64_t>(input.known_classes) && seen.insert(label).second)
      first.push_back(i);
  }
  return first;
}

std::vector<std::size_t> thin(std::size_t samples, std::span<const std::size_t> must,
                              std::size_t limit) {
  const std::size_t kept = must.size();
  const std::size_t others = samples - kept;
  const std::size_t room = std::min(others, limit > kept ? limit - kept : 0);
  std::vector<std::size_t> places;
  places.reserve(kept + room);
  std::size_t met = 0;     // samples met so far that must stay
  std::size_t passed = 0;  // other samples met so far
  for (std::size_t i = 0; i < samples; ++i) {
    if (met < kept && must[met] == i) {
      places.push_back(i);
      ++met;
      continue;
    }
    // The k-th of the others stays if k * room / others reaches a new integer there.
    if ((passed + 1) * room / others > passed * room / others) places.push_back(i);
    ++passed;
  }
  return places;
}

}  // namespace paco::report
