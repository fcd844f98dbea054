// The calibrated start: everything the support set taught, and all that a method needs to decide.
//
// A Model is made once by calibrate(), never changes afterwards, and can be shared by any number of
// threads. On disk it is one safetensors file (extension .paco) that opens in Python with two
// lines.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco {

// Where in the interval of equally good thresholds to stand.
enum class Tie : std::uint8_t { mid, low, high };

// Which references stand for the known classes: whichever separates the support set better, or one
// of them always.
enum class ReferenceChoice : std::uint8_t { automatic, prototype, classifier };

std::string_view tie_name(Tie tie);
std::string_view reference_choice_name(ReferenceChoice choice);

struct CalibrationOptions {
  double temperature = 1.0;  // T: divides every cosine in the birth test and the assignment
  double alpha = 1e6;        // smoothing of the size prior in the assignment
  double beta = 0.5;       // a category is mature from round(median support size ^ beta) samples on
  double spread = 1.0;     // c_spread: standard deviations by which the birth boundary is lowered
  double epsilon = 1e-5;   // added to each coordinate's variance
  int replays = 3;         // passes of the replay that calibrates the create boundary
  std::uint32_t seed = 0;  // order of the replays
  Tie tie = Tie::mid;
  ReferenceChoice reference = ReferenceChoice::automatic;
  bool routing = true;         // false: every prototype competes for every sample
  bool adaptive_birth = true;  // false: the birth boundary stays where the support set put it
  int threads = 1;             // speed only; no answer depends on it
};

// One calibrated threshold with the evidence for it.
struct ThresholdEvidence {
  double value = 0;
  double balanced_accuracy = 0;
  double interval_low = 0;  // every threshold in (low, high] separates the support set equally well
  double interval_high = 0;
  std::vector<float> positives;  // the scores it was chosen from
  std::vector<float> negatives;
};

// How well one candidate bank of references tells the support classes apart.
struct ReferenceQuality {
  bool available = false;
  double accuracy = 0;     // support top-1 accuracy
  double mean_margin = 0;  // mean of best minus second best cosine
};

struct Model {
  CalibrationOptions options;
  std::size_t dimension = 0;
  std::vector<std::string> class_names;                    // one per known class, by id
  std::vector<std::int64_t> class_sizes;                   // support samples per known class
  std::vector<double> mean;                                // (d) support mean
  std::vector<double> deviation;                           // (d) sqrt(variance + epsilon)
  std::vector<float> references;                           // (K, d) unit rows, fixed for good
  ReferenceChoice reference = ReferenceChoice::prototype;  // which bank won
  ReferenceQuality prototype_quality;
  ReferenceQuality classifier_quality;

  ThresholdEvidence hi;      // margin from which only known classes compete
  ThresholdEvidence birth;   // score from which a sample counts as explained
  ThresholdEvidence create;  // attach score from which a sample joins a category
  ThresholdEvidence leader;  // cosine with a running mean from which the leader method attaches
  double tau_lo = 0;         // top cosine below which only categories compete
  double tau_birth_sup = 0;  // the birth boundary at the start of a stream
  double sigma_pos = 0;      // standard deviation of the support samples' top cosine
  double base_median = 0;    // median support size
  double log_p0 = 0;         // log density of the uniform distribution on the sphere

  std::size_t known_classes() const { return class_names.size(); }
  // Size from which a category counts as mature.
  std::int64_t mature_size() const;
  // Identifies the model in snapshots: equal for equal content.
  std::string fingerprint() const;
};

// The labelled start. Labels are class ids 0 .. K-1; each must occur.
struct SupportSet {
  Rows<const double> embeddings;         // (N, d), as the backbone gave them
  std::span<const std::int64_t> labels;  // (N)
  std::vector<std::string> class_names;  // (K), or empty: the ids are the names
  Rows<const double> classifier;         // (K, d) trained class weights, or no rows
};

// Deterministic: same support set, options and seed give the same bytes for any number of threads.
Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options = {},
                        std::stop_token stop = {});

Result<void> save_model(const Model& model, const std::string& path);
Result<Model> load_model(const std::string& path);

}  // namespace paco
