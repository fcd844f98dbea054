#include "server/histogram.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace paco::server {

void Histogram::add(double seconds) {
  const auto step = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++counts_[static_cast<std::size_t>(step)];
  nanoseconds_ += static_cast<std::uint64_t>(std::max(0.0, seconds) * 1e9);
}

std::uint64_t Histogram::count() const {
  std::uint64_t sum = 0;
  for (const auto& count : counts_) sum += count;
  return sum;
}

void Histogram::append(std::string& out, std::string_view name, std::string_view labels) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bound, sum);
  }
  out += fmt::format("{}_sum{{{}}} {}\n{}_count{{{}}} {}\n", name, labels,
                     static_cast<double>(nanoseconds_.load()) / 1e9, name, labels, sum);
}

}  // namespace paco::server
