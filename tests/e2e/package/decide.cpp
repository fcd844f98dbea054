// A program of another project: three known classes, a stream with samples of a fourth, decided
// with the public headers alone.
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "paco/method.hpp"

namespace {

constexpr std::size_t kDimension = 16;

// A noisy copy of the axis `direction`.
void append_sample(std::vector<double>& rows, std::size_t direction, std::mt19937& random) {
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double noise = 0.2 * (static_cast<double>(random()) / 4294967296.0 - 0.5);
    rows.push_back((i == direction ? 1.0 : 0.0) + noise);
  }
}

}  // namespace

int main() {
  std::mt19937 random(0);
  std::vector<double> support;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 60; ++i) {
    append_sample(support, i % 3, random);
    labels.push_back(static_cast<std::int64_t>(i % 3));
  }
  auto model =
      paco::calibrate({{support.data(), 60, kDimension}, labels, {"red", "green", "blue"}, {}});
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", model.error().message.c_str());
    return 1;
  }
  auto method = paco::make_method("paco", std::make_shared<const paco::Model>(std::move(*model)));
  if (!method.ok()) return 1;

  int created = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<double> sample;
    append_sample(sample, i % 4, random);
    const auto decision = (*method)->decide(sample);
    if (!decision.ok()) return 1;
    if (decision->verdict == paco::Verdict::created) ++created;
  }
  std::printf("%d categories created\n", created);
  return created > 0 ? 0 : 1;  // the fourth direction belongs to no known class
}
