// Calibration of a method whose network was trained from images together with a head: SMILE, PHE,
// LTC and TALON as published. The embeddings of the support set are that network's.
#pragma once

#include "paco/model.hpp"

namespace paco {

// The head's tensors, by the names in the released code. methods/peers/given_head.hpp says which of
// them each method reads.
using GivenHead = std::map<std::string, Tensor, std::less<>>;

// Same as calibrate(), with a head. Returns an error for a method that takes no head.
Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        const GivenHead& head, std::stop_token stop = {});

// True if the method needs a head.
bool takes_head(std::string_view method);

}  // namespace paco
