// The whole training run: labelled images in, a run folder out. Torch-free to include.
//
//   run/weights.safetensors, settings.json   the representation (embed/weights/run_folder.hpp)
//   run/checkpoint.safetensors               the same with the optimizer's state, to go on from
//   run/metrics.csv, loss.svg                what was measured, one row an epoch
//   run/head.safetensors                     of another objective than PACO's: its head
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "embed/weights/net_spec.hpp"
#include "paco/result.hpp"
#include "train/group_options.hpp"
#include "train/metrics.hpp"
#include "train/options.hpp"

namespace paco::embed {
class ImageSource;
}  // namespace paco::embed

namespace paco::train {

// The support set as images.
struct TrainingSet {
  const embed::ImageSource* images = nullptr;  // must outlive the run
  std::vector<std::size_t> samples;            // indices in the source
  std::vector<std::int64_t> labels;            // class of each, 0 .. class_names.size() - 1
  std::vector<std::string> class_names;        // each must have a sample
  std::string description;                     // where it came from, for the record
};

struct TrainPlan {
  embed::NetSpec net;
  std::string weights;  // file with the backbone's start; empty: fresh from the seed
  TrainOptions options;
  std::string folder;                 // run folder; made where it is not there
  bool resume = false;                // go on from the folder's checkpoint
  std::string version, commit;        // of the program, for the record
  std::optional<GroupOptions> group;  // several processes; only rank 0 writes
};

// Callbacks for progress and warnings, and the clock.
struct TrainListener {
  core::Progress* progress = nullptr;
  core::Clock clock;
  std::function<void(const EpochMetrics&)> epoch_done;
  std::function<void(const std::string&)> warn;  // e.g. images that could not be read
};

struct TrainReport {
  std::vector<EpochMetrics> epochs;
  int resumed_after = 0;  // epochs that an earlier run had done
  double seconds = 0;
  std::uint64_t parameters = 0;      // numbers that learnt
  std::vector<std::string> ignored;  // tensors of the weights file that the backbone has no use for
};

// Same plan, same seed: same weights, bit for bit on a CPU, for any number of workers, stopped and
// resumed or not. Interrupted, it leaves the last epoch's checkpoint and says so.
Result<TrainReport> train(const TrainingSet& set, const TrainPlan& plan,
                          const TrainListener& listener, std::stop_token stop = {});

// Samples in the order of one epoch: a fresh permutation of 0 .. n-1 from seed and epoch alone.
std::vector<std::size_t> epoch_order(std::size_t n, std::uint64_t seed, int epoch);

}  // namespace paco::train
