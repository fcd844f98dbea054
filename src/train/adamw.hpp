// AdamW, or gradient descent with momentum, with one learning rate per group of parameters. Written
// here rather than taken from libtorch's C++ front end because its state must go into a checkpoint
// by name and come back bit for bit, and because libtorch's has no fused step for the GPU.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace paco::train {

struct Parameter {
  std::string name;
  torch::Tensor value;  // what the network computes with
};

class AdamW {
 public:
  enum class Rule : std::uint8_t {
    adamw,
    momentum
  };  // momentum: 0.9, decay as part of the gradient
  struct Group {
    std::vector<Parameter> parameters;
    double rate = 0;   // before the schedule's factor
    double decay = 0;  // of the weights
  };

  explicit AdamW(std::vector<Group> groups, Rule rule = Rule::adamw);

  // What learns, in a fixed order.
  std::vector<torch::Tensor> parameters() const;
  void zero_gradients();
  // Scales the gradients so that their common norm is at most `limit` (0: leaves them) and returns
  // the norm before, as a scalar on the device.
  torch::Tensor clip(double limit);
  // One step with every rate multiplied by `factor`. A parameter without a gradient is not changed.
  void step(double factor);

  // Everything a checkpoint needs, by name, in a fixed order: the moments ("first.NAME",
  // "second.NAME") and, for parameters held in bfloat16, the float32 values ("master.NAME").
  std::vector<Parameter> state() const;
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

 private:
  struct Slot {
    std::string name;
    torch::Tensor value;
    torch::Tensor master;  // float32; the same tensor as value where that is float32
    torch::Tensor first, second;
    double rate, decay;
  };
  void step_by_hand(Slot& slot, const torch::Tensor& gradient, double factor);

  std::vector<Slot> slots_;
  Rule rule_;
  std::uint64_t steps_ = 0;
  torch::Tensor counter_;  // the same on a GPU, where the fused kernel reads it
};

}  // namespace paco::train
