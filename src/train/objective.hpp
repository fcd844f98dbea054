// The objectives of other methods, each a small module on top of the backbone's features: its head,
// its loss, and what is left for deciding. SMILE and PHE are as their released code has them. Of
// LTC's released code some constants are known and of TALON's two losses; docs/reference/methods.md
// says what is our reading. Includes torch.
//
// Names of parameters and buffers are those of released code, so that a head that is trained here
// and a published one are read by the same reader (methods/peers/given_head.hpp).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "core/random.hpp"
#include "embed/weights/state_dict.hpp"
#include "train/options.hpp"

namespace paco::train {

struct ObjectiveParts {
  torch::Tensor total, main, others;  // total = main + others
  torch::Tensor accuracy;             // of the batch; for people
};

class PeerObjective : public torch::nn::Module {
 public:
  // features (views, B, d) as the backbone gave them, labels (B) on the same device.
  virtual ObjectiveParts loss(const torch::Tensor& features, const torch::Tensor& labels,
                              core::Random& random) = 0;
  // AdamW's weight decay of a parameter, if it is not that of the rest.
  virtual double decay(const std::string&, double usual) const { return usual; }
};

// Weights from the seed alone, on the CPU. Not for Objective::paco.
std::shared_ptr<PeerObjective> make_objective(const TrainOptions& options, std::int64_t classes,
                                              std::int64_t dimension);

// Parameters and buffers but for counters, by name.
std::vector<std::pair<std::string, torch::Tensor>> tensors_of(const PeerObjective& objective);

// -log softmax of the products of unit rows over `temperature` among all other rows, mean over the
// rows of the same class, mean over rows that have one.
torch::Tensor supervised_contrastive(const torch::Tensor& rows, const torch::Tensor& labels,
                                     double temperature);
// Hash centres of classes keep apart: with c = tanh(3 centre), the mean over classes of the sum
// over others of max(0, apart - 0.5 (0.95 L - c.c')).
torch::Tensor separation(const torch::Tensor& soft_centres, double apart);

}  // namespace paco::train
