// What the trainings of all heads share: options, the set they learn from, batches, views of a
// sample, and the loop.
//
// A head learns from embeddings that are given, so there are no crops of images to make views from.
// A view of a sample is the mean of its class with a deviation that is partly the sample's own and
// partly borrowed from a sample of any class: what varies within one class varies within the others
// too, and a head that sees a few samples of each learns from all of them what to overlook.
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
  double borrowed = 1;      // largest share of a view's variance that is another sample's
  std::uint64_t seed = 0;
  Seen embeddings = Seen::standardised;
};

// The options of a method whose struct has those of a training among others: `rows`, then these.
// Without `hidden` layers there is no width.
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

// Rows of a set as a network takes them, each coordinate of deviation about 1: as they are, or
// views of them, `views` times one after another.
math::Matrix<float> inputs_of(const HeadTrainingSet& set, std::span<const std::size_t> rows);
math::Matrix<float> views_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                             int views, double borrowed, core::Random& random);
std::vector<std::int64_t> labels_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                                    int views);

// The layers that hash heads begin with: d -> width -> width -> up to 256, normalised, GELU after
// each. Returns the width that comes out.
std::size_t add_trunk(Stack& stack, std::size_t inputs, std::size_t width, core::Random& random);

// Some rows of a matrix, and rows back to their places in one of zeros.
math::Matrix<float> gathered(const math::Matrix<float>& from, std::span<const std::size_t> rows);
math::Matrix<float> scattered(const math::Matrix<float>& rows, std::span<const std::size_t> places,
                              std::size_t height);
// Which of these labels are of known classes, not of virtual ones.
std::vector<std::size_t> labelled(std::span<const std::int64_t> labels, std::size_t known);

// Calls `step` for one batch after another; it fills in gradients, and Adam then takes a step. How
// long a training takes follows from the number of steps, not from the size of the set: small sets
// need as many as large ones. Where half of a set is virtual, batches are twice as large.
using TrainingStep = std::function<void(std::span<const std::size_t> rows, core::Random& random)>;
Result<void> train(SupportView& support, const HeadTrainingSet& set, const TrainingOptions& options,
                   Adam& adam, const TrainingStep& step);

// The layers of these stacks, one after the other, for the units themselves.
std::vector<AffineLayer> frozen_layers(const HeadTrainingSet& set, std::span<Stack* const> stacks);

}  // namespace paco::methods
