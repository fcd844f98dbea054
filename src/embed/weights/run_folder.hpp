// A trained representation on disk: what `paco train` leaves and `paco embed` takes.
//
//   run/weights.safetensors  backbone.*, head.weight, head.bias, classifier.weight
//   run/settings.json        network, normalisation, class names, training settings, for people
//
// The metadata of the weights have, under "paco.run", the same JSON as settings.json: that one file
// is enough to embed with. A trainer keeps whatever else it needs (checkpoints, metrics.csv) beside
// them.
#pragma once

#include <string>
#include <vector>

#include "embed/weights/net_spec.hpp"
#include "embed/weights/state_dict.hpp"
#include "paco/result.hpp"

namespace paco::embed {

struct TrainedRun {
  NetSpec net;
  std::vector<std::string> class_names;  // of the known classes, by row of classifier.weight
  std::string training = "{}";  // a JSON object of the trainer's own: options, seed, commit, epoch
  StateDict tensors;
};

// Writes both files, each atomically, the weights first: the old run survives a full disk.
Result<void> write_run(const std::string& folder, const TrainedRun& run);

// From a run folder, or from a weights.safetensors of one.
Result<TrainedRun> read_run(const std::string& path);

}  // namespace paco::embed
