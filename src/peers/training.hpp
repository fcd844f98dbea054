// What the trainings of all heads share: options, the set they learn from, batches, views of a
// sample, and the loop.
//
// A head learns from embeddings that are given, so the two views of a sample are its embedding with
// two different small noises; whoever wants views of images trains the backbone first ('paco
// train').
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "calibrate/support_view.hpp"
#include "peers/head.hpp"

namespace paco {

struct TrainingOptions {
  int epochs = 0;
  std::size_t width = 0;  // of the hidden layers
  double rate = 0;        // of Adam at the start; it falls to zero in a straight line
  double jitter = 0;      // length of the noise of a view, against embeddings of length 1
  std::uint64_t seed = 0;

  static TrainingOptions from(const Settings& settings);
  // The options that from() reads, with defaults. Without `hidden` layers there is no width.
  static std::vector<MethodOption> declared(bool hidden = true);
};

// Unit embeddings with their classes; classes beyond the known ones are virtual.
struct TrainingSet {
  Matrix<float> units;
  std::vector<std::int64_t> labels;
  std::size_t classes = 0;

  static TrainingSet from(const SupportView& support);
};

// Rows of a set as a network takes them: each coordinate of deviation about 1, with noise of length
// `jitter`. `views` times one after another.
Matrix<float> views_of(const TrainingSet& set, std::span<const std::size_t> rows, int views,
                       double jitter, Random& random);
std::vector<std::int64_t> labels_of(const TrainingSet& set, std::span<const std::size_t> rows,
                                    int views);

// The layers that hash heads begin with: d -> width -> width -> up to 256, normalised, GELU after
// each. Returns the width that comes out.
std::size_t add_trunk(Stack& stack, std::size_t inputs, std::size_t width, Random& random);

// Calls `step` for every batch of every epoch; it fills in gradients, and Adam then takes a step.
using TrainingStep = std::function<void(std::span<const std::size_t> rows, Random& random)>;
Result<void> train(SupportView& support, const TrainingSet& set, const TrainingOptions& options,
                   Adam& adam, const TrainingStep& step);

// The layers of these stacks, one after the other, for the units themselves.
std::vector<AffineLayer> frozen_layers(const TrainingSet& set, std::span<Stack* const> stacks);

}  // namespace paco
