// What every benchmark program shares: it measures the machine's limits in the same run, prints a
// line per figure and writes all figures as one JSON file.
//
//   int main(int argc, char** argv) {
//     bench::Harness harness("match", argc, argv);
//     harness.require(answers_agree, "ours and the plain one differ");  // before timing anything
//     harness.add(measurement);
//     return harness.finish();
//   }
//
// Programs take one argument, the JSON file to write; without it they only print.
#pragma once

#include <string>
#include <vector>

#include "bench/common/measure.hpp"
#include "paco/result.hpp"

namespace paco::bench {

class Harness {
 public:
  Harness(std::string question, int argc, char** argv);

  const core::Clock& clock() const { return clock_; }
  const MachinePeak& peak() const { return peak_; }

  // Ends the program with a message where the answers are not equal.
  void require(bool equal, const std::string& what_differs) const;
  // Likewise where a step failed; otherwise its value.
  template <class T>
  T take(Result<T> result) const {
    if (!result.ok()) fail(result.error().message);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }
  // A figure; one without a time (a count, a size) carries what it has in `more`.
  void add(Measurement measurement);
  // Times `body`, which does `items` things, and adds the figure.
  void time(const std::string& contender, const std::string& shape, double items,
            const std::function<void()>& body, double flops = 0, double bytes = 0,
            double least_seconds = 0.3);
  // A line without a figure, e.g. a contender that was left out.
  void note(const std::string& text);
  int finish();

 private:
  [[noreturn]] void fail(const std::string& message) const;

  std::string question_, out_;
  core::Clock clock_;
  MachinePeak peak_;
  std::vector<Measurement> measurements_;
  std::vector<std::string> notes_;
};

// Highest resident memory of this process so far, in bytes, and what is resident now.
double peak_resident_bytes();
// Without what the allocator keeps for the next time.
double resident_bytes();

}  // namespace paco::bench
