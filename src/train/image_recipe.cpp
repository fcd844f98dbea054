#include "train/image_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/images.hpp"

namespace paco::train {
namespace {

// How `small` learns Fashion-MNIST: from nothing, so the backbone takes the head's rate, and the
// gradient, large at first, is clipped. Few epochs, a low rate and no angular margin: known classes
// that are pressed together take the unknown ones with them.
ImageRecipe fashion_mnist() {
  ImageRecipe recipe;
  recipe.name = recipe.images = recipe.split.name = "fashion-mnist";
  recipe.backbone = "small";
  recipe.training.epochs = 4;
  recipe.training.head_rate = recipe.training.backbone_rate = 3e-4;
  recipe.training.clip = 5;
  recipe.training.margin = 0;
  return recipe;
}

// "tar:sets/cub.tar" -> "tar:cub.tar", "idx:a/images,a/labels" -> "idx:images,labels".
std::string without_folders(const std::string& images) {
  std::string out, word;
  const auto finish = [&] {
    out += std::filesystem::path(word).filename().string();
    word.clear();
  };
  for (const char c : images) {
    if (c == ':' || c == ',') {
      finish();
      out += c;
    } else {
      word += c;
    }
  }
  finish();
  return out;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

const std::vector<ImageRecipe>& known_recipes() {
  static const std::vector<ImageRecipe> recipes = [] {
    std::vector<ImageRecipe> list{fashion_mnist()};
    for (const char* name :
         {"cub", "cars", "pets", "food101", "cifar10", "cifar100", "imagenet100"}) {
      ImageRecipe recipe;
      recipe.name = recipe.split.name = name;
      list.push_back(std::move(recipe));
    }
    return list;
  }();
  return recipes;
}

const ImageRecipe* known_recipe(std::string_view name) {
  const auto& all = known_recipes();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ImageRecipe& recipe) { return recipe.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<embed::NetSpec> network_of(const ImageRecipe& recipe) {
  PACO_ASSIGN(embed::NetSpec spec,
              embed::make_spec(recipe.backbone, recipe.input, recipe.dimension));
  if (!recipe.normalise.empty()) {
    PACO_ASSIGN(spec.normalisation, embed::parse_normalisation(recipe.normalise));
  }
  return spec;
}

Result<void> check_recipe(const ImageRecipe& recipe) {
  const auto named = [&](const Error& error) {
    return Error{error.code, fmt::format("{}: {}", recipe.name, error.message), error.hint};
  };
  if (recipe.images.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: nobody has said where its images are", recipe.name),
                 fmt::format(R"(put {{"name": "{}", "images": "folder:PATH", "weights": "FILE"}} )"
                             "into a list and give it with --sets",
                             recipe.name)};
  }
  const Result<embed::NetSpec> spec = network_of(recipe);
  if (!spec.ok()) return named(spec.error());
  if (recipe.weights.empty() && spec->kind == embed::BackboneKind::vit) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: {} has no weights to start from", recipe.name, recipe.backbone),
                 R"(give a file of published ones as "weights", or train "small" from nothing)"};
  }
  if (!recipe.weights.empty() && core::path_kind(recipe.weights) != core::PathKind::file) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: its weights {} are not there", recipe.name, recipe.weights),
                 "paths of a list are relative to the list"};
  }
  if (recipe.training.epochs != 0) {
    const Result<void> fine = check_options(recipe.training);
    if (!fine.ok()) return named(fine.error());
  } else if (recipe.dimension > 0) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: without training there is no head, so no dimension to choose",
                             recipe.name),
                 R"(leave "dimension" out, or train for an epoch or more)"};
  }
  const auto images = embed::open_images(recipe.images);
  if (!images.ok()) return named(images.error());
  const Result<io::Labels> labels = embed::image_labels(**images);
  if (!labels.ok()) return named(labels.error());
  const Result<io::ClassSplit> classes = io::choose_classes(recipe.split, labels->names);
  if (!classes.ok()) return named(classes.error());
  if (classes->known.size() >= kLeastClasses && !classes->novel.empty()) return {};
  return Error{ErrorCode::bad_value,
               fmt::format("{}: its split has {} known and {} novel classes", recipe.name,
                           classes->known.size(), classes->novel.size()),
               fmt::format("a study needs {} known and one novel class at least", kLeastClasses)};
}

std::string recipe_text(const ImageRecipe& recipe) {
  nlohmann::ordered_json json = {{"images", without_folders(recipe.images)},
                                 {"rule", recipe.split.name},
                                 {"list", file_name(recipe.split.list_file)},
                                 {"known", recipe.split.known_count.value_or(0)},
                                 {"backbone", recipe.backbone},
                                 {"weights", file_name(recipe.weights)},
                                 {"normalise", recipe.normalise},
                                 {"input", recipe.input},
                                 {"dimension", recipe.dimension}};
  if (recipe.loader == embed::ImageLoader::literature) json["loader"] = "literature";
  json["training"] = recipe.training.epochs == 0
                         ? nlohmann::ordered_json()
                         : nlohmann::ordered_json::parse(options_to_json(recipe.training));
  return json.dump(1) + "\n";
}

ImageRecipe trained(const ImageRecipe& recipe, const Training& training) {
  ImageRecipe out = recipe;
  TrainOptions& options = out.training;
  options.seed = training.seed;
  const bool off = training.value == "off";
  double number = 0;
  std::from_chars(training.value.data(), training.value.data() + training.value.size(), number);
  if (training.factor == "margin") {
    options.use_margin = !off;
    if (!off) options.margin = number;
  } else if (training.factor == "stat_weight") {
    options.use_stat = !off;
    if (!off) options.stat_weight = number;
  }
  return out;
}

}  // namespace paco::train
