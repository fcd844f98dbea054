// The state of a run at the end of an epoch, on disk: enough to continue with the same result as
// without a stop. Includes torch.
//
// One safetensors file, replaced atomically: the previous checkpoint stays until the new one is
// complete, also if the disk is full. No random state is stored: order, views and episodes follow
// from seed, epoch and step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paco/result.hpp"
#include "train/adamw.hpp"
#include "train/metrics.hpp"

namespace paco::train {

struct Checkpoint {
  std::string run;  // JSON of everything that decides the result; a resumed run must have the same
  int epoch = 0;    // epochs done
  std::uint64_t steps = 0;
  std::vector<EpochMetrics> metrics;  // one per epoch done
};

// "FOLDER/checkpoint.safetensors".
std::string checkpoint_path(const std::string& folder);

Result<void> save_checkpoint(const std::string& folder, const Checkpoint& checkpoint,
                             const std::vector<Parameter>& state);

// Reads the file and copies every tensor into the one of the same name in `state`; all must be
// there, with the same shape. Refuses, naming the difference, a checkpoint whose `run` is not
// `expected_run`.
Result<Checkpoint> load_checkpoint(const std::string& folder, const std::string& expected_run,
                                   const std::vector<Parameter>& state);

}  // namespace paco::train
