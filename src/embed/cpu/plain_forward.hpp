// A second implementation of the networks, in plain loops and in double: slow and short, as a
// reference for network.hpp. Only the tests and the benchmark use it.
#pragma once

#include <cstdint>
#include <vector>

#include "embed/weights/net_spec.hpp"
#include "embed/weights/state_dict.hpp"

namespace paco::embed::plain {

// The embedding of one image (S, S, 3). `tensors` are those of net_slots(spec).
std::vector<double> forward(const NetSpec& spec, const StateDict& tensors,
                            const std::uint8_t* pixels);

}  // namespace paco::embed::plain
