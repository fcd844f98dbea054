#include "study/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::study {
namespace {

// One folder of embeddings that a study needs.
struct Wanted {
  const StudySet* set = nullptr;
  train::Training training;   // of a set of images
  train::ImageRecipe recipe;  // likewise
  std::string folder;
};

bool is_made(const Wanted& wanted) {
  return core::path_kind(wanted.folder + "/stream.npy") == core::PathKind::file;
}

std::string recipe_file(const Wanted& wanted) { return wanted.folder + "/recipe.json"; }

std::vector<Wanted> wanted_folders(const Plan& plan, const std::vector<StudySet>& sets,
                                   std::uint64_t seeds, const std::string& out) {
  std::vector<Wanted> all;
  for (const StudySet& set : sets) {
    if (!set.recipe) {
      all.push_back({&set, {}, {}, set.folder});
      continue;
    }
    for (const train::Training& training : trainings_of(plan, seeds)) {
      Wanted one{&set, training, train::trained(*set.recipe, training), {}};
      const train::Training plain{training.seed, {}, {}};
      one.folder = fmt::format("{}/sets/{}-{}", out, set.name, training.seed);
      // A value that the recipe has by default needs no separate training.
      if (train::recipe_text(one.recipe) != train::recipe_text(train::trained(*set.recipe, plain)))
        one.folder += fmt::format("-{}-{}", training.factor, training.value);
      all.push_back(std::move(one));
    }
  }
  return all;
}

// A folder can be used only with the recipe it was started with.
Result<void> claim(const Wanted& wanted) {
  const std::string text = train::recipe_text(wanted.recipe);
  if (core::path_kind(recipe_file(wanted)) == core::PathKind::absent) {
    PACO_TRY(core::make_folder(wanted.folder));
    return core::write_file(recipe_file(wanted), std::string_view(text));
  }
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(recipe_file(wanted)));
  if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == text)
    return {};
  return Error{ErrorCode::mismatch,
               fmt::format("{} says that it was made in another way", recipe_file(wanted)),
               "choose another folder with --out, or remove " + wanted.folder};
}

Result<DataSet> read_wanted(const Wanted& wanted) {
  Result<DataSet> data = read_data_set(wanted.folder, wanted.set->name);
  if (!data.ok() && !wanted.set->how.empty() && data.error().code == ErrorCode::not_found)
    return Error{data.error().code, data.error().message, "to get it: " + wanted.set->how};
  if (data.ok() && wanted.set->recipe) data->training = wanted.training;
  return data;
}

}  // namespace

Result<std::vector<DataSet>> data_for(const Plan& plan, const std::vector<StudySet>& sets,
                                      std::uint64_t seeds, const std::string& out,
                                      const SetMaker& make) {
  const std::vector<Wanted> all = wanted_folders(plan, sets, seeds, out);
  std::vector<DataSet> data(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].set->recipe) {
      PACO_ASSIGN(data[i], read_wanted(all[i]));
    } else if (!is_made(all[i])) {
      PACO_TRY(train::check_recipe(all[i].recipe));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].set->recipe) continue;
    PACO_TRY(claim(all[i]));
    if (!is_made(all[i])) PACO_TRY(make(all[i].recipe, all[i].folder));
    PACO_ASSIGN(data[i], read_wanted(all[i]));
  }
  return data;
}

}  // namespace paco::study
