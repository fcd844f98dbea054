// The data that studies run on: folders of embeddings with labels, and what a study changes of them
// before a run (fewer samples, fewer known classes, another order).
//
// A folder has support.npy, support_labels.npy, stream.npy and stream_labels.npy, and may have
// classifier.npy, known_classes.txt (one name a line) and class_vectors.npy (a vector for the name
// of each known class, for SynC). Everything is checked when it is read, so that a study does not
// fail after hours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "math/matrix.hpp"
#include "paco/model.hpp"
#include "train/image_recipe.hpp"

namespace paco::study {

struct DataSet {
  std::string name;
  math::Matrix<double> support, stream, classifier;  // the classifier may have no rows
  std::vector<std::int64_t> support_labels, truth;   // truth: novel classes follow the known ones
  math::Matrix<double> held_out;                     // kept apart by a shape; may have no rows
  std::vector<std::int64_t> held_out_labels;
  std::vector<std::string> class_names;      // of the known classes
  std::string class_vectors;                 // the file with vectors of their names, if any
  std::string digest;                        // of all of the above but the name
  std::string split_digest;                  // what 'paco split' wrote in digest.txt
  std::string embedding;                     // the record beside support.npy, as JSON
  std::optional<double> extraction_seconds;  // of embedding the support set, if known
  std::optional<train::Training> training;   // of the backbone, if a study trained it

  SupportSet support_set() const {
    return {support, support_labels, class_names, classifier, held_out, held_out_labels};
  }
};

// Refuses a folder without the files, without known or without novel classes in its stream, and one
// whose parts do not fit together.
Result<DataSet> read_data_set(const std::string& folder, const std::string& name);

enum class StreamOrder : std::uint8_t {
  given,
  shuffled,
  by_class,  // all of one class, then all of the next
  drifting,  // classes come and go: each has its time, and times overlap
};

// What a run changes. `draw` seeds every choice.
struct DataShape {
  double support_share = 1;  // of each class's support samples, at least one
  std::size_t known = 0;     // known classes that are left, 0: all; the others become novel
  std::size_t shots = 0;     // support samples that are left of each class, 0: all
  StreamOrder order = StreamOrder::given;
  bool redraw = false;  // another support set of the same size, from all samples of known classes
  std::uint64_t draw = 0;
  double kept_apart = 0;  // of the stream's samples of known classes: labelled and held out instead
};
DataSet shaped(const DataSet& data, const DataShape& shape);

}  // namespace paco::study
