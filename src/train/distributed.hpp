// Several processes that train one network together, through libtorch's own collectives: gloo
// between CPUs, NCCL between GPUs. Includes torch's types; only train/ includes it.
//
// Every process calls the same functions in the same order. A group of one process needs no network
// and copies nothing, so the loop has one path for both.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "paco/result.hpp"
#include "train/group_options.hpp"

namespace paco::train {

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Sums element by element over all processes, in place.
  virtual void sum(torch::Tensor& tensor) = 0;
  // The tensors of all processes by rank; all have the same shape.
  virtual std::vector<torch::Tensor> gather(const torch::Tensor& tensor) = 0;
};

// A group of this process alone.
std::unique_ptr<ProcessGroup> single_process();

// Meets the others; waits for them up to the options' timeout.
Result<std::unique_ptr<ProcessGroup>> join_group(const GroupOptions& options,
                                                 const torch::Device& device);

// Rows of every process, concatenated along dimension 1 in order of rank; counts may differ.
// `tensor` is (v, b, ...).
torch::Tensor gather_rows(ProcessGroup& group, const torch::Tensor& tensor,
                          const std::vector<std::int64_t>& counts);
// How many rows each process has.
std::vector<std::int64_t> gather_counts(ProcessGroup& group, std::int64_t count,
                                        const torch::Device& device);

}  // namespace paco::train
