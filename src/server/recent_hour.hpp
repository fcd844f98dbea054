// The last hour of a stream in steps of five seconds: number of samples, number of them that began
// a category, and delays of answers. Kept in memory, so it starts empty with the server.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace paco::server {

class RecentHour {
 public:
  static constexpr std::int64_t kStep = 5;  // seconds
  static constexpr std::size_t kSteps = 720;

  // `now` is in seconds since 1970.
  void add_samples(std::int64_t now, std::uint64_t samples, std::uint64_t births);
  void add_answer(std::int64_t now, double seconds);

  struct Step {
    std::int64_t time = 0;  // its beginning
    std::uint64_t samples = 0, births = 0;
    double p50_ms = 0, p99_ms = 0;  // NaN: no answer
  };
  // The steps from the first one in the hour with any activity up to the present one.
  std::vector<Step> steps(std::int64_t now) const;

 private:
  // Delays are counted in buckets that grow by the fourth root of two, so quantiles are accurate to
  // a tenth.
  static constexpr std::size_t kDelays = 80;
  struct Counts {
    std::int64_t step = -1;
    std::uint64_t samples = 0, births = 0, answers = 0;
    std::array<std::uint32_t, kDelays> delays{};
  };
  Counts& counts_at(std::int64_t now);
  static double quantile_ms(const Counts& counts, double share);

  mutable std::mutex mutex_;
  std::vector<Counts> counts_;  // a ring, allocated with the first sample
};

}  // namespace paco::server
