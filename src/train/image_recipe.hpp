// How a data set of images becomes embeddings: which images, which of their classes are known,
// which network, and how it is trained on the support set. A description only; the program that
// runs a study brings what carries it out (study_data.hpp), because training needs torch and this
// does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embed/images/images.hpp"
#include "embed/weights/net_spec.hpp"
#include "io/splits.hpp"
#include "train/options.hpp"

namespace paco::train {

// Known classes that a study needs: calibration masks one and compares two others.
inline constexpr std::size_t kLeastClasses = 3;

struct ImageRecipe {
  std::string name;
  std::string images;  // as open_images takes it
  io::SplitRule split;
  embed::ImageLoader loader = embed::ImageLoader::upright;
  std::string backbone = "vit_b16";
  std::string weights;    // where the backbone starts; none: fresh ones
  std::string normalise;  // of pixels; empty: the backbone's own
  int input = 0;          // side in pixels; 0: the backbone's own
  int dimension = -1;     // of the embeddings; -1: the backbone's own
  TrainOptions training;  // epochs 0: none, the backbone embeds as it is
};

// Fashion-MNIST, which is available if its package is installed, and the seven sets of the paper,
// for which the user must give the images.
const std::vector<ImageRecipe>& known_recipes();
const ImageRecipe* known_recipe(std::string_view name);  // null: none has this name

// Refuses what cannot work before anything is trained: images that are not there or have no labels,
// a split that does not fit them, a network or training that makes no sense, weights that are
// missing.
Result<void> check_recipe(const ImageRecipe& recipe);
Result<embed::NetSpec> network_of(const ImageRecipe& recipe);

// Everything that the embeddings depend on, as JSON. Files are stored without their folders, so
// that embeddings made on another machine are recognised.
std::string recipe_text(const ImageRecipe& recipe);

// One training of a recipe: with this seed, and with one thing changed where `factor` says so.
struct Training {
  std::uint64_t seed = 0;
  std::string factor, value;  // "margin" "0.3"; "margin" "off"; "stat_weight" "off"; or nothing

  bool operator==(const Training&) const = default;
};
ImageRecipe trained(const ImageRecipe& recipe, const Training& training);

}  // namespace paco::train
