// The text encoder once more, in plain loops and in double: slow, short, and what text_network.hpp
// is checked against. Not for use; the tests and the benchmark compare with it.
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
