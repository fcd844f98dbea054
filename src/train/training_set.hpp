// Which images of a data set are the support set, and which known class each belongs to.
// Torch-free.
#pragma once

#include <string>

#include "paco/result.hpp"
#include "train/train.hpp"

namespace paco::train {

// Files, each of which may be left out (empty).
struct TrainingFiles {
  std::string index;   // npy: numbers of the images to train on; else all of them
  std::string labels;  // one label for each, numbers or names; else the data set's own
  std::string
      classes;  // class names; those behind the last class that occurs are novel and left out
};

// Of the data set's own labels, the classes that occur among the indexed images are numbered anew,
// in the data set's order.
Result<TrainingSet> read_training_set(const embed::ImageSource& images,
                                      const std::string& description, const TrainingFiles& files);

// Samples of a training set that are kept out of training, so that a false-new rate can be proved
// by them.
struct HeldOut {
  std::vector<std::size_t> samples;
  std::vector<std::int64_t> labels;
};
// Takes a share of each class's samples out of the set, drawn with the seed; one sample of a class
// stays at least.
HeldOut hold_out(TrainingSet& set, double share, std::uint64_t seed);
// Both parts as support_index.npy, support_labels.npy, held_out_index.npy and held_out_labels.npy,
// for `paco embed` and `paco calibrate`.
Result<void> write_parts(const TrainingSet& set, const HeldOut& held_out,
                         const std::string& folder);

}  // namespace paco::train
