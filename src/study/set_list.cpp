#include "study/set_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/enum_names.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::study {
namespace {

using SetJson = nlohmann::json;

constexpr auto kLoaders = core::enum_names<embed::ImageLoader>(
    {{embed::ImageLoader::upright, "upright"}, {embed::ImageLoader::literature, "literature"}});

std::string beside(const std::string& base, const std::string& path) {
  return path.empty() || path[0] == '/' || base.empty() ? path : base + "/" + path;
}

// The paths inside "KIND:PATH" or "idx:PATH,PATH".
std::string images_beside(const std::string& base, const std::string& images) {
  const auto colon = images.find(':');
  const std::string kind = images.substr(0, colon);
  if (kind == "fashion-mnist") return images;
  if (colon == std::string::npos) return beside(base, images);
  const std::string rest = images.substr(colon + 1);
  const auto comma = kind == "idx" ? rest.find(',') : std::string::npos;
  std::string out = kind + ":" + beside(base, rest.substr(0, comma));
  if (comma != std::string::npos) out += "," + beside(base, rest.substr(comma + 1));
  return out;
}

// One entry of a list. A key that is not read is an error, so that a misspelt key does not silently
// give the default.
class Entry {
 public:
  Entry(const SetJson& json, std::string base) : json_(json), base_(std::move(base)) {}

  Result<StudySet> read() {
    if (!json_.is_object()) return refuse("an entry is no object");
    StudySet set;
    take("name", set.name);
    if (set.name.empty() || set.name.find('/') != std::string::npos || set.name[0] == '.')
      return refuse("a set needs a name, without '/' and not beginning with '.'");
    take("folder", set.folder);
    if (set.folder.empty()) {
      set.recipe = read_recipe(set.name);
      if (set.recipe->images.empty())
        return refuse(fmt::format("'{}' has neither a folder nor images", set.name));
    } else {
      set.folder = beside(base_, set.folder);
      take("how", set.how);
    }
    if (!wrong_.empty()) return refuse(wrong_);
    for (const auto& [key, value] : json_.items()) {
      if (!known_.contains(key))
        return refuse(fmt::format("'{}' has a key '{}' that a set {} does not know", set.name, key,
                                  set.recipe ? "of images" : "of embeddings"));
    }
    return set;
  }

 private:
  template <class T>
  bool take(const char* key, T& value) {
    known_.insert(key);
    const auto found = json_.find(key);
    if (found == json_.end()) return false;
    try {
      if constexpr (std::is_same_v<T, bool>) {
        if (!found->is_boolean()) throw std::invalid_argument("neither true nor false");
      } else if constexpr (std::is_arithmetic_v<T>) {
        if (!found->is_number()) throw std::invalid_argument("no number");
        if (std::is_integral_v<T> && !found->is_number_integer())
          throw std::invalid_argument("no whole number");
        if (std::is_unsigned_v<T> && !found->is_number_unsigned())
          throw std::invalid_argument("below 0");
      }
      value = found->get<T>();
      return true;
    } catch (const std::exception&) {
      if (wrong_.empty()) wrong_ = fmt::format("\"{}\" cannot be {}", key, found->dump());
      return false;
    }
  }
  template <class Names, class Enum>
  void take_word(const char* key, const Names& names, Enum& value) {
    std::string word;
    if (!take(key, word)) return;
    const auto meant = names.value(word);
    if (meant) value = *meant;
    if (!meant && wrong_.empty())
      wrong_ = fmt::format("\"{}\" cannot be \"{}\": it is one of {}", key, word,
                           fmt::join(names.names(), ", "));
  }

  train::ImageRecipe read_recipe(const std::string& name) {
    std::string rule = name;
    take("rule", rule);
    train::ImageRecipe recipe;
    const train::ImageRecipe* like = train::known_recipe(rule);
    if (like != nullptr) recipe = *like;
    recipe.name = name;
    recipe.split.name = like != nullptr || rule != name ? rule : "";
    std::size_t known = 0;
    if (take("images", recipe.images)) recipe.images = images_beside(base_, recipe.images);
    if (take("list", recipe.split.list_file))
      recipe.split.list_file = beside(base_, recipe.split.list_file);
    if (take("known", known)) recipe.split.known_count = known;
    take("unchecked", recipe.split.unchecked);
    if (recipe.split.name.empty()) recipe.split.name = known > 0 ? "first" : "list";
    take("backbone", recipe.backbone);
    if (take("weights", recipe.weights)) recipe.weights = beside(base_, recipe.weights);
    take("normalise", recipe.normalise);
    take_word("loader", kLoaders, recipe.loader);
    take("input", recipe.input);
    take("dimension", recipe.dimension);
    train::TrainOptions& t = recipe.training;
    take("epochs", t.epochs);
    take("batch", t.batch);
    take("lr", t.head_rate);
    take("lr_backbone", t.backbone_rate);
    take("weight_decay", t.weight_decay);
    take("clip", t.clip);
    take("scale", t.scale);
    take("margin", t.margin);
    take("stat_weight", t.stat_weight);
    take("compact_weight", t.compact_weight);
    take_word("train_blocks", train::kTrainBlocks, t.blocks);
    take_word("precision", train::kPrecisions, t.precision);
    return recipe;
  }

  static Error refuse(std::string what) {
    return Error{
        ErrorCode::bad_format, std::move(what),
        R"(an entry is {"name": "cub", "folder": "sets/cub"} or {"name": "cub", )"
        R"("images": "tar:cub.tar", "weights": "FILE", ...}; see docs/reference/comparison.md)"};
  }

  const SetJson& json_;
  std::string base_;
  std::set<std::string> known_;
  std::string wrong_;  // the first invalid value
};

}  // namespace

Result<std::vector<StudySet>> read_set_list(const std::string& path) {
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path));
  const auto named = [&](const Error& error) {
    return Error{error.code, fmt::format("{}: {}", path, error.message), error.hint};
  };
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const SetJson json = SetJson::parse(text, text + bytes.size(), nullptr, false);
  if (!json.is_array()) {
    return Error{ErrorCode::bad_format, fmt::format("{}: it is no JSON list", path),
                 R"(it is a list like [{"name": "cub", "folder": "sets/cub"}])"};
  }
  std::vector<StudySet> sets;
  for (const SetJson& one : json) {
    Result<StudySet> set = Entry(one, std::filesystem::path(path).parent_path().string()).read();
    if (!set.ok()) return named(set.error());
    sets.push_back(std::move(set).value());
  }
  return sets;
}

Result<std::vector<StudySet>> find_sets(const std::vector<std::string>& names,
                                        const std::vector<StudySet>& list) {
  std::vector<StudySet> sets;
  std::set<std::string> taken;
  for (const std::string& given : names) {
    const auto listed =
        std::find_if(list.begin(), list.end(), [&](const StudySet& s) { return s.name == given; });
    const train::ImageRecipe* known = train::known_recipe(given);
    StudySet set;
    if (listed != list.end()) {
      set = *listed;
    } else if (known != nullptr && core::path_kind(given) != core::PathKind::folder) {
      set.name = given;
      set.recipe = *known;
    } else {
      set.folder = given;
      while (set.folder.size() > 1 && set.folder.back() == '/') set.folder.pop_back();
      set.name = std::filesystem::path(set.folder).filename().string();
    }
    if (!taken.insert(set.name).second) {
      return Error{ErrorCode::bad_argument, fmt::format("two data sets are called '{}'", set.name),
                   "rename one of the folders"};
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace paco::study
