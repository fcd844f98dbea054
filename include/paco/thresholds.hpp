// What PACO learns from the support set: its options and its thresholds, each with the evidence for
// it. paco_parameters() reads them out of a model that was calibrated for PACO.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "paco/model.hpp"

namespace paco {

// Which point of the interval of equally good thresholds is used.
enum class Tie : std::uint8_t { mid, low, high };

std::string_view tie_name(Tie tie);

// One calibrated threshold with the evidence for it.
struct ThresholdEvidence {
  double value = 0;
  double balanced_accuracy = 0;
  double interval_low = 0;  // every threshold in (low, high] separates the support set equally well
  double interval_high = 0;
  std::vector<float> positives;  // the scores that the threshold was chosen from
  std::vector<float> negatives;
};

struct PacoOptions {
  double temperature = 1.0;  // T: divides every cosine in the birth test and the assignment
  double alpha = 1e6;        // smoothing of the size prior in the assignment
  double beta = 0.5;       // a category is mature from round(median support size ^ beta) samples on
  double spread = 1.0;     // c_spread: standard deviations by which the birth boundary is lowered
  int replays = 3;         // passes of the replay that calibrates the create boundary
  std::uint32_t seed = 0;  // order of the replays
  Tie tie = Tie::mid;
  bool routing = true;         // false: every prototype competes for every sample
  bool adaptive_birth = true;  // false: the birth boundary stays where the support set put it
};

struct PacoParameters {
  PacoOptions options;
  ThresholdEvidence hi;      // margin from which only known classes compete
  ThresholdEvidence birth;   // score from which a sample counts as explained
  ThresholdEvidence create;  // attach score from which a sample joins a category
  double tau_lo = 0;         // top cosine below which only categories compete
  double tau_birth_sup = 0;  // the birth boundary at the start of a stream
  double sigma_pos = 0;      // standard deviation of the support samples' top cosine
  double base_median = 0;    // median support size
  double log_p0 = 0;         // log density of the uniform distribution on the sphere

  // The smallest number of samples of a mature category.
  std::int64_t mature_size() const;
  // A birth or attach score converted to a cosine, which is easier to interpret.
  double as_cosine(double score) const { return options.temperature * (score + log_p0); }
};

// `changed`: options of the deciding stage that the stream was started with; they replace those of
// the model.
Result<PacoParameters> paco_parameters(const Model& model, const Settings& changed = {});

}  // namespace paco
