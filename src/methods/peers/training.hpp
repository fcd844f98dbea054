// What the trainings of all heads share: options, the set they learn from, batches, views of a
// sample, and the loop.
//
// A head learns from given embeddings, so there are no crops of images to make views from. A view
// of a sample is the mean of its class plus a deviation. Part of the deviation is the sample's own,
// and part is taken from a sample of any class. Variation within one class also occurs in the
// others, so a head that sees a few samples of each class learns from all of them which variation
// to ignore.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "methods/common/option_table.hpp"
#include "methods/common/support_view.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/seen.hpp"

namespace paco::methods {

struct TrainingOptions {
  int steps = 900;
  std::size_t width = 256;  // of the hidden layers
  double rate = 0.01;       // of Adam at the start; it falls to zero in a straight line
  double borrowed = 1;      // largest share of a view's variance that comes from another sample
  std::uint64_t seed = 0;
  Seen embeddings = Seen::standardised;
};

// The options of a method whose struct contains those of a training: `rows`, then these. If there
// are no hidden layers (`hidden` is false), there is no option for their width.
template <class T>
std::vector<typename OptionTable<T>::Row> with_training(
    std::vector<typename OptionTable<T>::Row> rows = {}, bool hidden = true) {
  rows.push_back({"steps", &TrainingOptions::steps, 1, 1e7, "of training, 128 samples each"});
  if (hidden)
    rows.push_back({"width", &TrainingOptions::width, 2, 8192, "of the head's hidden layers"});
  rows.push_back({"rate", &TrainingOptions::rate, 1e-9, 1, "learning rate at the start"});
  rows.push_back({"borrowed", &TrainingOptions::borrowed, 0, 1,
                  "largest share of a view's variance that comes from other samples"});
  rows.push_back({"seed", &TrainingOptions::seed, 0, 4294967295, "of weights, batches and views"});
  rows.push_back({"embeddings", &TrainingOptions::embeddings, kSeenChoices, kSeenMeaning});
  return rows;
}

// Embeddings as the head sees them with their classes; classes beyond the known ones are virtual.
struct HeadTrainingSet {
  math::Matrix<float> units;
  std::vector<std::int64_t> labels;
  std::size_t classes = 0;
  double scale = 1;           // that gives coordinates a deviation of about 1
  math::Matrix<float> means;  // of the classes
  math::Matrix<float>
      deviations;  // of the units from them, as long as those of samples not averaged

  HeadTrainingSet() = default;
  HeadTrainingSet(math::Matrix<float> rows, std::vector<std::int64_t> row_labels,
                  std::size_t class_count, Seen seen);
  static HeadTrainingSet from(const SupportView& support, Seen seen);
};

// Rows of a set as input of a network, each coordinate with deviation about 1: unchanged, or
// `views` views of each one after another.
math::Matrix<float> inputs_of(const HeadTrainingSet& set, std::span<const std::size_t> rows);
math::Matrix<float> views_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                             int views, double borrowed, core::Random& random);
std::vector<std::int64_t> labels_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                                    int views);

// Adds the layers that hash heads begin with: d -> width -> width -> up to 256, normalised, with
// GELU after each. Returns the number of outputs.
std::size_t add_trunk(Stack& stack, std::size_t inputs, std::size_t width, core::Random& random);

// gathered: some rows of a matrix. The reverse function puts rows back to their places in a matrix
// of zeros.
math::Matrix<float> gathered(const math::Matrix<float>& from, std::span<const std::size_t> rows);
math::Matrix<float> scattered(const math::Matrix<float>& rows, std::span<const std::size_t> places,
                              std::size_t height);
// Which of these labels are of known classes, not of virtual ones.
std::vector<std::size_t> labelled(std::span<const std::int64_t> labels, std::size_t known);

// Calls `step` for one batch after another. `step` sets gradients, and Adam then takes a step. The
// length of a training is the number of steps, not the size of the set, because small sets need as
// many steps as large ones. If half of the set is virtual, batches are twice as large.
using TrainingStep = std::function<void(std::span<const std::size_t> rows, core::Random& random)>;
Result<void> train(SupportView& support, const HeadTrainingSet& set, const TrainingOptions& options,
                   Adam& adam, const TrainingStep& step);

// The layers of these stacks in sequence, as they apply to the units themselves.
std::vector<AffineLayer> frozen_layers(const HeadTrainingSet& set, std::span<Stack* const> stacks);

}  // namespace paco::methods
