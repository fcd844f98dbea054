// One training step, and nothing around it: views in, weights changed, loss parts out. Includes
// torch.
//
// The losses look at the whole batch at once, so with several processes a batch cannot simply be
// cut up. Each process runs the network on its share of the samples; the features (small) are
// gathered, and every process computes the losses of the joint batch and their gradient with
// respect to all features. It sends its own rows of that gradient back through its own part of the
// graph, and the weights' gradients are summed. The sum is the joint batch's gradient.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "embed/torch/torch_net.hpp"
#include "train/adamw.hpp"
#include "train/distributed.hpp"
#include "train/losses.hpp"
#include "train/objective.hpp"
#include "train/options.hpp"

namespace paco::train {

// Where the parts of a step's loss stand in the vector that a step returns. Of another objective
// than PACO's, kCls is its first term and kStat the sum of the others.
enum StepPart : int {
  kLoss,
  kCls,
  kStat,
  kCos,
  kMargin,
  kCompact,
  kAccuracy,
  kGradient,
  kStepParts
};

class Trainer {
 public:
  // Moves the net to the device and takes it over. `classes` rows of the classifier are drawn from
  // options.seed.
  Trainer(std::shared_ptr<embed::Net> net, std::int64_t classes, const TrainOptions& options,
          const torch::Device& device, std::shared_ptr<ProcessGroup> group);

  // The gradient of one batch, left in the parameters. pixels is (views, b, S, S, 3) bytes, labels
  // the b classes of this process's share (b may be 0 in a group), `random` draws the episode and
  // must be in the same state in every process. Returns the parts of the joint batch's loss,
  // (kStepParts) on the device, the gradient's norm still 0.
  torch::Tensor gradient(const torch::Tensor& pixels, const std::vector<std::int64_t>& labels,
                         core::Random random);
  // gradient(), clipping and one step of AdamW with the rates times `factor`.
  torch::Tensor step(const torch::Tensor& pixels, const std::vector<std::int64_t>& labels,
                     core::Random random, double factor);

  embed::Net& net() { return *net_; }
  const torch::Tensor& classifier() const { return classifier_; }
  AdamW& optimizer() { return *optimizer_; }
  const torch::Device& device() const { return device_; }
  // The head of another objective than PACO's; null: there is none.
  const PeerObjective* objective() const { return objective_.get(); }
  // Everything that a checkpoint holds: network, classifier and the optimizer's state, by name.
  std::vector<Parameter> state();

 private:
  struct Loss {
    torch::Tensor total, cls, accuracy;
    StatLoss stat;
  };
  torch::Tensor features(const torch::Tensor& pixels);
  Loss loss(const torch::Tensor& features, const torch::Tensor& labels,
            const std::vector<std::int64_t>& host_labels, core::Random& random);

  std::shared_ptr<embed::Net> net_;
  torch::Tensor classifier_;
  std::shared_ptr<PeerObjective> objective_;
  TrainOptions options_;
  torch::Device device_;
  std::shared_ptr<ProcessGroup> group_;
  std::unique_ptr<AdamW> optimizer_;
};

}  // namespace paco::train
