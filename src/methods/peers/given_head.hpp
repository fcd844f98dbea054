// Heads that were trained from images, by `paco train --objective` or by the released code of a
// method: their tensors, under the names of that code, become layers here.
//
// A head of SMILE has mlp.N, hash, variance and their normalisations; one of PHE has hash_head.*,
// add_on_layers.0 and prototype_vectors_global; those of LTC and TALON, whose space is the
// backbone's own, have classifier.weight, and LTC's a threshold.
#pragma once

#include <vector>

#include "methods/peers/codes.hpp"
#include "methods/peers/head.hpp"
#include "paco/given_head.hpp"

namespace paco::methods {

Result<Head> given_smile_head(const GivenHead& given, std::size_t dimension);

struct GivenPheHead {
  Head head;
  std::vector<Code> centres;
};
Result<GivenPheHead> given_phe_head(const GivenHead& given, std::size_t dimension,
                                    std::size_t classes, core::ThreadPool& pool);

// Checks that the head of LTC or TALON belongs to such embeddings and classes.
Result<void> check_given_classifier(const GivenHead& given, std::size_t dimension,
                                    std::size_t classes);
Result<double> given_threshold(const GivenHead& given);

}  // namespace paco::methods
