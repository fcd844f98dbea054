#include "embed/images/cars_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/labels.hpp"
#include "io/mat_file.hpp"

namespace paco::embed {
namespace {

std::string first_there(const std::string& root, const std::vector<std::string>& forms) {
  for (const std::string& form : forms) {
    if (core::path_kind(root + "/" + form) == core::PathKind::file) return root + "/" + form;
  }
  return "";
}

// An image and its class, which files count from 1.
Result<ListedImage> annotated(std::string name, double label, const std::string& path,
                              std::size_t row) {
  constexpr double kMostClasses = 100'000;
  name.erase(0, name.rfind('/') + 1);
  if (!name.empty() && label >= 1 && label <= kMostClasses && label == static_cast<int>(label))
    return ListedImage{std::move(name), static_cast<std::int64_t>(label) - 1};
  return Error{ErrorCode::bad_value,
               fmt::format("{}: row {}: image '{}' has class {}; classes count from 1", path, row,
                           name, label),
               "give the training annotations of the devkit as they are published"};
}

Result<std::vector<ListedImage>> from_mat(const std::string& path) {
  PACO_ASSIGN(const io::MatFile file, io::read_mat(path));
  const io::MatArray* annotations = file.find("annotations");
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
                 "give the devkit's cars_train_annos.mat"};
  };
  if (annotations == nullptr || annotations->kind != io::MatArray::Kind::structs)
    return bad("has no annotations");
  std::vector<ListedImage> images;
  for (std::size_t i = 0; i < annotations->elements; ++i) {
    const io::MatArray* label = annotations->field(i, "class");
    const io::MatArray* name = annotations->field(i, "fname");
    if (label == nullptr || label->numbers.size() != 1 || name == nullptr)
      return bad(fmt::format("annotation {} has no class or no fname", i + 1));
    PACO_ASSIGN(ListedImage image, annotated(name->text, label->numbers[0], path, i + 1));
    images.push_back(std::move(image));
  }
  return images;
}

// With or without a header: the image is in the first column or in the one headed fname, the class
// in the last one or in the one headed class.
Result<std::vector<ListedImage>> from_csv(const std::string& path) {
  PACO_ASSIGN(io::ByteStream stream, io::ByteStream::open(path));
  io::CsvReader reader(std::move(stream));
  std::vector<std::string_view> fields;
  std::size_t name = 0, label = 0;
  std::vector<ListedImage> images;
  for (std::size_t row = 1;; ++row) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) return images;
    if (row == 1) {
      label = fields.size() - 1;
      const auto headed = [&](std::initializer_list<std::string_view> words, std::size_t& column) {
        for (std::size_t f = 0; f < fields.size(); ++f) {
          if (std::find(words.begin(), words.end(), fields[f]) != words.end()) column = f;
        }
      };
      headed({"fname", "filename", "file", "image", "image_name", "relative_im_path"}, name);
      headed({"class", "label", "class_id"}, label);
      if (!io::parse_number(fields[label])) continue;  // the header
    }
    const std::size_t needed = std::max(name, label) + 1;
    const auto number = fields.size() < needed ? std::nullopt : io::parse_number(fields[label]);
    PACO_ASSIGN(ListedImage image,
                annotated(fields.size() < needed ? "" : std::string(fields[name]),
                          number.value_or(0), path, reader.line()));
    images.push_back(std::move(image));
  }
}

Result<std::vector<std::string>> names_from_mat(const std::string& path) {
  PACO_ASSIGN(const io::MatFile file, io::read_mat(path));
  std::vector<std::string> names;
  if (const io::MatArray* list = file.find("class_names")) {
    for (const io::MatArray& name : list->cells) names.push_back(name.text);
  }
  return names;
}

}  // namespace

std::vector<std::string> cars_annotation_files() {
  return {"devkit/cars_train_annos.mat", "cars_train_annos.mat", "devkit/cars_train_annos.csv",
          "cars_train_annos.csv", "anno_train.csv"};
}

std::vector<std::string> cars_name_files() {
  return {"devkit/cars_meta.mat", "cars_meta.mat", "devkit/cars_meta.csv", "cars_meta.csv",
          "names.csv"};
}

Result<CarsList> read_cars_list(const std::string& root) {
  const std::string path = first_there(root, cars_annotation_files());
  if (path.empty()) {
    return Error{
        ErrorCode::not_found,
        fmt::format("{}: neither devkit/cars_train_annos.mat nor a csv of it is there", root),
        "unpack the devkit into the same folder; 'paco data check cars PATH' says more"};
  }
  CarsList cars;
  PACO_ASSIGN(cars.images, path.ends_with(".mat") ? from_mat(path) : from_csv(path));
  const std::string names = first_there(root, cars_name_files());
  if (!names.empty()) {
    PACO_ASSIGN(cars.class_names,
                names.ends_with(".mat") ? names_from_mat(names) : io::read_class_names(names));
  }
  return cars;
}

}  // namespace paco::embed
