// States as paco 0.1 wrote them: every category has one prototype, and its sum.
#pragma once

#include "data/safetensors.hpp"
#include "discover/state_file.hpp"

namespace paco {

Result<State> state_of_0_1(const SafetensorsFile& file, const Method& method);

}  // namespace paco
