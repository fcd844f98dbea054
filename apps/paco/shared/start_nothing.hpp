// The first categories of `paco start --from-nothing`: some hundred samples are drawn from the
// folder and grouped (insight/first_groups.hpp), and the groups take the place of known classes.
#pragma once

#include <string>
#include <vector>

#include "paco/embedding_record.hpp"
#include "paco/result.hpp"
#include "shared/start_items.hpp"

namespace paco {

// In order of their keys; the same folder gives the same samples.
std::vector<const StartItem*> draw_samples(const StartFolder& found);

// `file` has the embeddings of `items`, a row each; it is written anew without the samples that are
// alike to no other. The names of the groups of the others: of texts the words that they share, of
// photos "group 1", "group 2", ... An error if there are fewer than three groups.
Result<std::vector<std::string>> group_samples(const std::string& file,
                                               const EmbeddingRecord& record,
                                               const std::vector<const StartItem*>& items);

}  // namespace paco
