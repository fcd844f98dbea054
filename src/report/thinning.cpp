// Even thinning around the samples that must stay.
#include "report/thinning.hpp"

#include <algorithm>
#include <unordered_set>

namespace paco {

std::vector<std::uint8_t> first_occurrences(const ReportInput& input) {
  std::vector<std::uint8_t> first(input.samples.size(), 0);
  std::unordered_set<std::int64_t> seen;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (input.truth.empty()) {
      first[i] = input.samples[i].decision.verdict == Verdict::created;
    } else if (input.truth[i] >= static_cast<std::int64_t>(input.known_classes)) {
      first[i] = seen.insert(input.truth[i]).second;
    }
  }
  return first;
}

std::vector<std::size_t> thin(std::span<const std::uint8_t> must, std::size_t limit) {
  const std::size_t kept = static_cast<std::size_t>(
      std::count_if(must.begin(), must.end(), [](std::uint8_t m) { return m != 0; }));
  const std::size_t others = must.size() - kept;
  const std::size_t room = std::min(others, limit > kept ? limit - kept : 0);
  std::vector<std::size_t> indices;
  indices.reserve(kept + room);
  std::size_t passed = 0;  // others met so far
  for (std::size_t i = 0; i < must.size(); ++i) {
    if (must[i] != 0) {
      indices.push_back(i);
      continue;
    }
    // The k-th of the others stays where k * room / others steps to a new whole number.
    if ((passed + 1) * room / others > passed * room / others) indices.push_back(i);
    ++passed;
  }
  return indices;
}

}  // namespace paco
