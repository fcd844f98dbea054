#include "embed/images/published_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.hpp"
#include "core/random.hpp"
#include "core/try.hpp"
#include "embed/images/cars_list.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"

namespace paco::embed {
namespace {

using Fields = std::vector<std::string>;
using List = std::vector<ListedImage>;

// What a set consists of, and the folder that its archive unpacks to.
struct PublishedSet {
  std::string_view name, inner;
  std::vector<std::vector<std::string>> needed, optional;
};

std::vector<std::string> cifar_batch(int number) {
  return {fmt::format("cifar-10-batches-bin/data_batch_{}.bin", number),
          fmt::format("cifar-10-batches-py/data_batch_{}", number),
          fmt::format("data_batch_{}.bin", number), fmt::format("data_batch_{}", number)};
}

const std::vector<PublishedSet>& published_sets() {
  static const std::vector<PublishedSet> sets = {
      {"cub",
       "CUB_200_2011",
       {{"images.txt"}, {"train_test_split.txt"}, {"image_class_labels.txt"}, {"images"}},
       {{"classes.txt"}}},
      {"cars", "stanford_cars", {cars_annotation_files(), {"cars_train"}}, {cars_name_files()}},
      {"pets", "oxford-iiit-pet", {{"annotations/trainval.txt"}, {"images"}}, {}},
      {"food101", "food-101", {{"meta/train.json"}, {"images"}}, {}},
      {"imagenet100", "train", {{"."}}, {}},
      {"cifar10",
       "",
       {cifar_batch(1), cifar_batch(2), cifar_batch(3), cifar_batch(4), cifar_batch(5)},
       {{"cifar-10-batches-bin/batches.meta.txt", "cifar-10-batches-py/batches.meta",
         "batches.meta.txt", "batches.meta"}}},
      {"cifar100",
       "",
       {{"cifar-100-binary/train.bin", "cifar-100-python/train", "train.bin", "train"}},
       {{"cifar-100-binary/fine_label_names.txt", "cifar-100-python/meta", "fine_label_names.txt",
         "meta"}}},
  };
  return sets;
}

const PublishedSet& published_set(std::string_view name) {
  const auto& sets = published_sets();
  return *std::find_if(sets.begin(), sets.end(),
                       [&](const PublishedSet& set) { return set.name == name; });
}

bool is_there(const std::string& path) { return core::path_kind(path) != core::PathKind::absent; }

// The folder of the set: PATH itself, or the folder inside it that the archive unpacks to.
std::string root_of(const PublishedSet& set, const std::string& path) {
  const std::string inner = path + "/" + std::string(set.inner);
  if (set.inner.empty() || core::path_kind(inner) != core::PathKind::folder) return path;
  for (const std::string& form : set.needed.front()) {
    if (form != "." && is_there(path + "/" + form)) return path;
  }
  return inner;
}

// The lines of a text file as fields between spaces; lines that begin with '#' are comments.
Result<std::vector<Fields>> read_rows(const std::string& path, std::size_t fields) {
  PACO_ASSIGN(io::ByteStream stream, io::ByteStream::open(path));
  std::vector<Fields> rows;
  std::string line;
  for (std::size_t number = 1;; ++number) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) return rows;
    if (io::is_blank_line(line) || line[0] == '#') continue;
    Fields row;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find_first_of(io::kBlanks, at), line.size());
      if (end > at) row.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (row.size() >= fields) {
      rows.push_back(std::move(row));
      continue;
    }
    return Error{
        ErrorCode::bad_format,
        fmt::format("{}: line {} has {} fields, {} are expected", path, number, row.size(), fields),
        "unpack the data set again"};
  }
}

// Class ids in files count from 1.
Result<std::int64_t> class_id(const std::string& field, const std::string& path, std::size_t row) {
  constexpr std::int64_t kMostClasses = 100'000;
  const auto number = io::parse_integer(field);
  if (number && *number >= 1 && *number <= kMostClasses) return *number - 1;
  return Error{ErrorCode::bad_value,
               fmt::format("{}: row {}: '{}' is no class; classes count from 1", path, row, field),
               "unpack the data set again"};
}

// Names of the classes that no file names, made from those of their images.
void name_classes(std::vector<std::string>& names, const List& images,
                  const std::function<std::string(const std::string&)>& class_of) {
  for (const ListedImage& image : images) {
    const auto label = static_cast<std::size_t>(image.label);
    if (names.size() <= label) names.resize(label + 1);
    if (names[label].empty()) names[label] = class_of(image.name);
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c].empty()) names[c] = std::to_string(c);
  }
}

std::string folder_of(const std::string& name) { return name.substr(0, name.find('/')); }

// The second field of every row by the first, the id of an image.
Result<std::map<std::int64_t, std::string>> read_by_id(const std::string& path) {
  PACO_ASSIGN(const std::vector<Fields> rows, read_rows(path, 2));
  std::map<std::int64_t, std::string> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto id = io::parse_integer(rows[i][0]);
    if (id && values.emplace(*id, rows[i][1]).second) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: row {}: '{}' is {}", path, i + 1, rows[i][0],
                             id ? "there twice" : "no number of an image"),
                 "unpack the data set again"};
  }
  return values;
}

ImageResult open_cub(const std::string& root) {
  PACO_ASSIGN(const auto images, read_by_id(root + "/images.txt"));
  PACO_ASSIGN(const auto training, read_by_id(root + "/train_test_split.txt"));
  PACO_ASSIGN(const auto labels, read_by_id(root + "/image_class_labels.txt"));
  List list;
  std::size_t row = 0;
  for (const auto& [id, name] : images) {
    ++row;
    const auto part = training.find(id), label = labels.find(id);
    if (part == training.end() || label == labels.end()) {
      return Error{
          ErrorCode::mismatch,
          fmt::format("{}/{} has no image {}, which images.txt lists", root,
                      part == training.end() ? "train_test_split.txt" : "image_class_labels.txt",
                      id),
          "unpack the data set again"};
    }
    PACO_ASSIGN(const std::int64_t number,
                class_id(label->second, root + "/image_class_labels.txt", row));
    if (part->second == "1") list.push_back({name, number});
  }
  std::vector<std::string> names;
  if (is_there(root + "/classes.txt")) {
    PACO_ASSIGN(const auto classes, read_by_id(root + "/classes.txt"));
    for (const auto& [id, name] : classes) names.push_back(name);
  }
  name_classes(names, list, folder_of);
  return open_listed_images(root + "/images", list, std::move(names));
}

ImageResult open_pets(const std::string& root) {
  const std::string path = root + "/annotations/trainval.txt";
  PACO_ASSIGN(const std::vector<Fields> rows, read_rows(path, 2));
  List list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PACO_ASSIGN(const std::int64_t label, class_id(rows[i][1], path, i + 1));
    list.push_back({rows[i][0] + ".jpg", label});
  }
  std::vector<std::string> names;
  // "american_bulldog_100.jpg"
  name_classes(names, list,
               [](const std::string& name) { return name.substr(0, name.rfind('_')); });
  return open_listed_images(root + "/images", list, std::move(names));
}

// {"apple_pie": ["apple_pie/1005649", ...], ...}: images in the order of the file, classes in the
// order of their names.
ImageResult open_food(const std::string& root) {
  const std::string path = root + "/meta/train.json";
  PACO_ASSIGN(const auto bytes, core::read_file(path));
  PACO_ASSIGN(const auto json,
              io::parse_json<nlohmann::ordered_json>(
                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
                 R"(it holds {"CLASS": ["CLASS/IMAGE", ...], ...}; unpack the data set again)"};
  };
  if (!json.is_object()) return bad("is no JSON object");
  std::set<std::string> sorted;
  for (const auto& [name, images] : json.items()) sorted.insert(name);
  std::vector<std::string> names(sorted.begin(), sorted.end());
  List list;
  for (const auto& [name, images] : json.items()) {
    if (!images.is_array()) return bad(fmt::format("'{}' has no list of images", name));
    const auto label = std::lower_bound(names.begin(), names.end(), name) - names.begin();
    for (const auto& image : images) {
      if (!image.is_string()) return bad(fmt::format("an image of '{}' has no name", name));
      list.push_back({image.get<std::string>() + ".jpg", label});
    }
  }
  return open_listed_images(root + "/images", list, std::move(names));
}

// Of a folder with all thousand classes, the hundred that the seed draws, in ascending order.
ImageResult open_imagenet_hundred(const std::string& root) {
  constexpr std::size_t kAll = 1000, kDrawn = 100;
  PACO_ASSIGN(const auto all, open_image_folder(root));
  const std::vector<std::string>& classes = all->class_names();
  std::vector<std::size_t> drawn;
  if (classes.size() == kAll) {
    drawn = core::NumpyLegacyRandom(0).permutation(kAll);
    drawn.resize(kDrawn);
    std::sort(drawn.begin(), drawn.end());
  } else {
    for (std::size_t c = 0; c < classes.size(); ++c) drawn.push_back(c);
  }
  std::vector<std::string> names;
  for (const std::size_t c : drawn) names.push_back(classes[c]);
  List list;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto found =
        std::lower_bound(drawn.begin(), drawn.end(), static_cast<std::size_t>(all->label(i)));
    if (found != drawn.end() && *found == static_cast<std::size_t>(all->label(i)))
      list.push_back({all->name(i), found - drawn.begin()});
  }
  return open_listed_images(root, list, std::move(names));
}

ImageResult open_cars(const std::string& root) {
  PACO_ASSIGN(CarsList cars, read_cars_list(root));
  name_classes(cars.class_names, cars.images, [](const std::string&) { return ""; });
  return open_listed_images(root + "/cars_train", cars.images, std::move(cars.class_names));
}

constexpr std::pair<std::string_view, ImageResult (*)(const std::string&)> kReaders[] = {
    {"cub", open_cub},
    {"cars", open_cars},
    {"pets", open_pets},
    {"food101", open_food},
    {"imagenet100", open_imagenet_hundred}};

}  // namespace

bool is_published_list(std::string_view name) {
  return std::any_of(std::begin(kReaders), std::end(kReaders),
                     [&](const auto& reader) { return reader.first == name; });
}

ImageResult open_published_list(std::string_view name, const std::string& path) {
  for (const auto& [kind, open] : kReaders) {
    if (kind == name) return open(root_of(published_set(name), path));
  }
  return Error{ErrorCode::bad_argument, fmt::format("'{}' is no published list", name), ""};
}

Result<SetCheck> check_published_set(std::string_view name, const std::string& path) {
  SetCheck check;
  check.parts = published_parts(name, path);
  const bool complete = std::all_of(check.parts.begin(), check.parts.end(), [](const auto& part) {
    return !part.needed || !part.found.empty();
  });
  if (!complete) return check;
  PACO_ASSIGN(const auto source, open_images(fmt::format("{}:{}", name, path)));
  PACO_ASSIGN(const io::Labels labels, image_labels(*source));
  check.images = source->size();
  check.classes = source->class_names().size();
  if (is_published_list(name) && name != "imagenet100") {
    const std::string images = check.parts[published_set(name).needed.size() - 1].found;
    for (std::size_t i = 0; i < source->size(); ++i) {
      if (is_there(images + "/" + source->name(i))) continue;
      if (check.missing_images++ == 0) check.first_missing = images + "/" + source->name(i);
    }
  }
  const io::SplitRule rule{std::string(name), "", {}, true};
  const auto classes = io::choose_classes(rule, labels.names);
  if (!classes.ok()) return check;
  auto split = io::make_split(labels, *classes, {});
  if (split.ok()) check.split = std::move(split).value();  // of too few samples there is none
  return check;
}

std::vector<PublishedPart> published_parts(std::string_view name, const std::string& path) {
  const PublishedSet& set = published_set(name);
  const std::string root = root_of(set, path);
  std::vector<PublishedPart> parts;
  for (const auto* group : {&set.needed, &set.optional}) {
    for (const std::vector<std::string>& forms : *group) {
      PublishedPart part{forms, "", group == &set.needed};
      for (const std::string& form : forms) {
        if (part.found.empty() && is_there(root + "/" + form)) part.found = root + "/" + form;
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace paco::embed
