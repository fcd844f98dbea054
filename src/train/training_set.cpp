#include "train/training_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/files.hpp"
#include "core/random.hpp"
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

// The data set's own labels of the chosen samples. If only some images were chosen, a class that
// does not occur is novel. If all were chosen, it is an empty class and is kept, so that train()
// refuses it.
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

HeldOut hold_out(TrainingSet& set, double share, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> of_class(set.class_names.size());
  for (std::size_t i = 0; i < set.samples.size(); ++i)
    of_class[static_cast<std::size_t>(set.labels[i])].push_back(i);
  std::vector<bool> apart(set.samples.size(), false);
  core::Random random(seed, 31);
  for (std::vector<std::size_t>& rows : of_class) {
    if (rows.empty()) continue;
    random.shuffle(std::span(rows));
    const auto wanted = static_cast<std::size_t>(share * static_cast<double>(rows.size()) + 0.5);
    for (std::size_t i = 0; i < std::min(wanted, rows.size() - 1); ++i) apart[rows[i]] = true;
  }
  HeldOut out;
  TrainingSet rest = set;
  rest.samples.clear();
  rest.labels.clear();
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    (apart[i] ? out.samples : rest.samples).push_back(set.samples[i]);
    (apart[i] ? out.labels : rest.labels).push_back(set.labels[i]);
  }
  set = std::move(rest);
  return out;
}

Result<void> write_parts(const TrainingSet& set, const HeldOut& held_out,
                         const std::string& folder) {
  PACO_TRY(core::make_folder(folder));
  const auto write = [&](const char* name, const auto& numbers) {
    const std::vector<std::int64_t> values(numbers.begin(), numbers.end());
    const std::uint64_t shape[] = {values.size()};
    return io::write_npy<std::int64_t>(folder + name, shape, values);
  };
  PACO_TRY(write("/support_index.npy", set.samples));
  PACO_TRY(write("/support_labels.npy", set.labels));
  PACO_TRY(write("/held_out_index.npy", held_out.samples));
  return write("/held_out_labels.npy", held_out.labels);
}

}  // namespace paco::train
