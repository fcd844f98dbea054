// States as paco 0.1 wrote them: every category has one prototype, and its sum.
#pragma once

#include "io/safetensors.hpp"
#include "methods/common/state_file.hpp"

namespace paco::methods {

Result<State> state_of_0_1(const io::SafetensorsFile& file, const Method& method);

}  // namespace paco::methods
