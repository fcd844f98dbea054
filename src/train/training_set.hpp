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

}  // namespace paco::train
