// The course of a stream in at most 256 steps of equal width, from its start: the answers in each
// step and the means of the evidence. Steps are doubled in width if there would be more, so the
// cost is the same for any length.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "paco/method.hpp"

namespace paco::insight {

struct SeriesStep {
  std::uint64_t count = 0;
  std::array<std::uint64_t, 4> verdicts{};
  std::uint64_t created_before_end = 0;  // categories that were created from the start to its end
  std::vector<double> sums;              // by evidence field
  std::vector<std::uint64_t> counted;    // numbers in each sum
  std::vector<std::vector<std::uint64_t>> choices;  // by evidence field, by choice

  void add(const SeriesStep& next);
};

// One writer, any number of readers.
class Series {
 public:
  static constexpr std::size_t kSteps = 256;

  explicit Series(std::vector<EvidenceField> fields) : fields_(std::move(fields)) {}
  void add(const Decision& decision);
  nlohmann::ordered_json json() const;
  // A copy of the steps so far.
  std::vector<SeriesStep> steps() const;

 private:
  void halve();

  const std::vector<EvidenceField> fields_;
  mutable std::mutex mutex_;
  std::uint64_t width_ = 1, samples_ = 0, created_ = 0;
  std::vector<SeriesStep> steps_;
};

}  // namespace paco::insight
