#include "train/training_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "io/npy.hpp"

namespace paco::train {
namespace {

Result<std::vector<std::size_t>> read_places(const embed::ImageSource& images,
                                             const std::string& path) {
  std::vector<std::size_t> places(images.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (path.empty()) return places;
  PACO_ASSIGN(const auto array, io::read_npy<std::int64_t>(path));
  places.clear();
  for (std::size_t i = 0; i < array.data.size(); ++i) {
    if (array.data[i] < 0 || array.data[i] >= static_cast<std::int64_t>(images.size())) {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: entry {} is {}, the data set has {} images", path, i,
                               array.data[i], images.size()),
                   "give places from 0 to one less than the number of images"};
    }
    places.push_back(static_cast<std::size_t>(array.data[i]));
  }
  return places;
}

// The data set's own labels of the chosen samples. Where only some images were chosen, a class that
// does not occur is one of the novel ones; where all were, it is an empty class, and stays for
// train() to refuse.
Result<void> take_own_labels(const embed::ImageSource& images, bool chosen, TrainingSet& set) {
  std::vector<std::int64_t> renumbered(images.class_names().size(), -1);
  for (const auto place : set.samples) {
    const auto label = images.label(place);
    if (label < 0) {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: {} has no label", set.description, images.name(place)),
                   "give labels with --labels, or one folder per class"};
    }
    renumbered[static_cast<std::size_t>(label)] = 0;
  }
  for (std::size_t k = 0; k < renumbered.size(); ++k) {
    if (chosen && renumbered[k] < 0) continue;
    renumbered[k] = static_cast<std::int64_t>(set.class_names.size());
    set.class_names.push_back(images.class_names()[k]);
  }
  for (const auto place : set.samples) {
    set.labels.push_back(renumbered[static_cast<std::size_t>(images.label(place))]);
  }
  return {};
}

}  // namespace

Result<TrainingSet> read_training_set(const embed::ImageSource& images,
                                      const std::string& description, const TrainingFiles& files) {
  TrainingSet set;
  set.images = &images;
  set.description = description;
  PACO_ASSIGN(set.samples, read_places(images, files.index));
  if (set.samples.empty()) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: no sample to train on", files.index.empty() ? description : files.index),
        "give at least two classes of images"};
  }
  if (files.labels.empty()) {
    PACO_TRY(take_own_labels(images, !files.index.empty(), set));
    return set;
  }
  std::vector<std::string> names;
  if (!files.classes.empty()) {
    PACO_ASSIGN(names, io::read_class_names(files.classes));
  }
  PACO_ASSIGN(auto read, io::read_labels(files.labels, names));
  if (read.ids.size() != set.samples.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} has {} labels for {} samples", files.labels, read.ids.size(),
                             set.samples.size()),
                 "give one label for every sample, in the same order"};
  }
  set.labels = std::move(read.ids);
  set.class_names = std::move(read.names);
  const auto last = *std::max_element(set.labels.begin(), set.labels.end());
  set.class_names.resize(static_cast<std::size_t>(last) + 1);
  return set;
}

}  // namespace paco::train
