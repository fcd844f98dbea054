// What a run has measured, epoch by epoch: kept in the checkpoint, written as metrics.csv and drawn
// as loss.svg. Torch-free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco::train {

// Means over the steps of one epoch.
struct EpochMetrics {
  int epoch = 0;           // from 1
  std::uint64_t step = 0;  // steps done at its end
  double loss = 0;         // cls + weight * stat
  double cls = 0;
  double stat = 0;  // cos + margin + compact
  double cos = 0;
  double margin = 0;
  double compact = 0;
  double accuracy = 0;           // share of views nearest to their own class, margin left out
  double gradient = 0;           // norm before clipping
  double factor = 0;             // what the learning rates were multiplied by in the last step
  double images_per_second = 0;  // views, through the whole step
  double seconds = 0;
  std::uint64_t skipped = 0;  // images that could not be read

  bool operator==(const EpochMetrics&) const = default;
};

// Numbers that decide nothing but differ from run to run (seconds, images_per_second) stand last.
std::string metrics_csv(const std::vector<EpochMetrics>& epochs);
// Back from metrics_csv; `origin` names the text in errors.
Result<std::vector<EpochMetrics>> parse_metrics_csv(const std::string& text,
                                                    const std::string& origin);

// Loss and its parts over the epochs, and the accuracy, as a picture that any browser shows.
std::string loss_svg(const std::vector<EpochMetrics>& epochs);

}  // namespace paco::train
