// Which data sets there are, by name: a user's list, folders of embeddings, and the sets that this
// project knows. Says where embeddings are or how they are made; reads and makes none.
//
// A list is JSON, one object a set:
//   [{"name": "flowers", "folder": "sets/flowers", "how": "ask the botanists"},
//    {"name": "cub", "images": "tar:cub.tar", "list": "cub-ssb.json", "weights": "vit_b16.pth"},
//    {"name": "toys", "images": "folder:toys", "rule": "first", "known": 12, "backbone": "small"}]
// A set of images that has the name or the rule of one that the project knows begins with what is
// known of that; every key of it can be given. Paths are relative to the list.
#pragma once

#include <optional>

#include "train/image_recipe.hpp"

namespace paco::study {

struct StudySet {
  std::string name;
  std::string folder;                        // of embeddings, or ...
  std::optional<train::ImageRecipe> recipe;  // ... images to make them from
  std::string how;                           // to get the folder, if it is not there
};

Result<std::vector<StudySet>> read_set_list(const std::string& path);

// Finds the sets of these names, in this order. A name is one of the list, a folder, or one of
// known_recipes(). Two sets with the same name are refused.
Result<std::vector<StudySet>> find_sets(const std::vector<std::string>& names,
                                        const std::vector<StudySet>& list);

}  // namespace paco::study
