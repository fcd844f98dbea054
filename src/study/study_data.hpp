// The embeddings for a study: read if they exist, otherwise made from images. Those that are made
// are stored in OUT/sets, one folder per training, and are not made again. Such a folder can be
// copied to another machine.
#pragma once

#include <functional>

#include "study/data_set.hpp"
#include "study/plans.hpp"
#include "study/set_list.hpp"

namespace paco::study {

// Splits, trains and embeds as a recipe says, into a folder that read_data_set can read; stream.npy
// is the last file it writes. Interrupted, it continues when it is called again.
using SetMaker =
    std::function<Result<void>(const train::ImageRecipe& recipe, const std::string& folder)>;

// Checks everything before the first training begins.
Result<std::vector<DataSet>> data_for(const Plan& plan, const std::vector<StudySet>& sets,
                                      std::uint64_t seeds, const std::string& out,
                                      const SetMaker& make);

}  // namespace paco::study
