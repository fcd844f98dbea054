// A second implementation of the text encoder, in plain loops and in double: slow and short, as a
// reference for text_network.hpp. Only the tests and the benchmark use it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embed/text/text_spec.hpp"

namespace paco::embed::plain {

// The embedding of one text. `tensors` are those of text_slots(spec), by these names.
std::vector<double> forward_text(const TextSpec& spec, const StateDict& tensors,
                                 std::span<const std::int32_t> tokens);

}  // namespace paco::embed::plain
