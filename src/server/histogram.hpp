// Durations counted in fixed buckets, in the format of Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace paco::server {

class Histogram {
 public:
  void add(double seconds);
  std::uint64_t count() const;
  // The lines of one series: NAME_bucket, NAME_sum and NAME_count, with `labels` ("a=\"b\"").
  void append(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.25,   0.5,   1,    5};
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

}  // namespace paco::server
