// The data that a report keeps of a whole stream while its samples are read: a few bytes per
// sample, and the totals.
//
// Per sample 9 bytes, 17 if it has a time, and 8 for each score that a histogram needs. All other
// data are shown for a few thousand samples only and are read again for those (ReportSamples in
// report.hpp). Truth and files are handled elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "paco/decision.hpp"

namespace paco::report {

struct ReportField;   // report.hpp
struct ReportSample;  // report.hpp

// One number of the evidence over the whole stream.
struct EvidenceTotal {
  bool computed = false;  // some sample has it
  double lowest = std::numeric_limits<double>::infinity();
  double last = kNotComputed;        // of the last sample
  std::vector<std::int64_t> chosen;  // how often each choice was made, if it is a choice
  bool listed = false;               // keep the values ...
  std::deque<double> values;         // ... that were computed, in stream order
};

// One class or category of the stream.
struct CategoryTotal {
  std::string name;         // from its first sample
  std::string latest_name;  // from its last sample
  std::int64_t size = 0;
  std::uint64_t first = 0;  // arrival number
  std::uint64_t last = 0;
  bool born = false;  // created within this stream
};

class StreamTotals {
 public:
  StreamTotals() = default;
  // `listed`: names of the evidence whose values are kept, for histograms.
  StreamTotals(const std::vector<ReportField>& fields, std::span<const std::string> listed);

  void expect(std::size_t samples);  // reserves memory, so that nothing is copied later
  // Samples come in the order of their arrival numbers, without gaps.
  void see(const ReportSample& sample);

  std::size_t size() const { return categories.size(); }
  std::uint64_t sequence(std::size_t place) const { return first + place; }
  // In how many ways a sample can be decided: the number of branches, or of verdicts if there are
  // no branches.
  std::size_t ways_known() const { return ways_known_; }
  // The number of known classes, for the case that it is not given. The ids of known classes are
  // below those of all categories.
  std::size_t known_classes() const;

  std::uint64_t first = 0;             // arrival number of the first sample
  std::vector<CategoryId> categories;  // by place in the stream
  std::vector<std::uint8_t> ways;      // the branch, or the verdict
  std::vector<double> microseconds;    // empty if no sample has any
  std::vector<std::size_t> births;     // places of the samples that started a category
  std::array<std::int64_t, 4> verdicts{};
  bool named = false;  // some sample has an id that is not its arrival number
  std::unordered_map<CategoryId, CategoryTotal> by_category;
  std::vector<EvidenceTotal> evidence;  // by field

 private:
  void take_time(double microseconds_taken);

  std::size_t ways_known_ = kVerdicts;
  int branch_ = -1;  // place of that field
  CategoryId above_known_ = 0;
  CategoryId first_category_ = std::numeric_limits<CategoryId>::max();

  static constexpr std::size_t kVerdicts = 4;
};

}  // namespace paco::report
