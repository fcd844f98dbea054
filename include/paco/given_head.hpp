// Calibration of a method whose network was trained from images together with a head: SMILE, PHE,
// LTC and TALON as published. The embeddings of the support set are that network's.
#pragma once

#include "paco/model.hpp"

namespace paco {

// The head's tensors by the names that released code gives them. Which ones a method reads stands
// in methods/peers/given_head.hpp.
using GivenHead = std::map<std::string, Tensor, std::less<>>;

// As calibrate(); refuses a method that takes no head.
Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        const GivenHead& head, std::stop_token stop = {});

// Does a method need one?
bool takes_head(std::string_view method);

}  // namespace paco
