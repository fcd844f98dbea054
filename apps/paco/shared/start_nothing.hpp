// The first categories of `paco start --from-nothing`: some hundred samples of the folder are
// grouped (insight/first_groups.hpp), and the groups are used as known classes.
#pragma once

#include <string>
#include <vector>

#include "paco/embedding_record.hpp"
#include "paco/result.hpp"
#include "shared/start_items.hpp"

namespace paco {

// In the order of their keys; the same folder always gives the same samples.
std::vector<const StartItem*> draw_samples(const StartFolder& found);

// `file` has one row of embeddings per item; it is written again without the samples that are
// similar to no other. Returns the group names of the remaining samples: for texts the words that
// they share, for photos "group 1", "group 2", ... Fails if there are fewer than three groups.
Result<std::vector<std::string>> group_samples(const std::string& file,
                                               const EmbeddingRecord& record,
                                               const std::vector<const StartItem*>& items);

}  // namespace paco
