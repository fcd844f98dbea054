// The forward pass of a text encoder on a CPU: numbers of pieces in, one embedding for each text
// out.
//
// Texts lie one behind another without filling between them: the layers see all their tokens as
// rows of one matrix, and attention each text by itself. So no text waits for a longer one, and an
// embedding has the same bytes whatever texts are run with it. Read-only once made; any number of
// threads may run it, each with a Scratch of its own. plain_text.hpp is the same in plain loops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "embed/cpu/network.hpp"
#include "embed/text/text_spec.hpp"

namespace paco::embed {

class TextNetwork {
 public:
  virtual ~TextNetwork() = default;
  // `tokens` are those of all texts; text i ends before ends[i]. No text is empty, none is longer
  // than the spec's positions, and no number is beyond its vocabulary. out is (texts, width).
  virtual void run(std::span<const std::int32_t> tokens, std::span<const std::size_t> ends,
                   float* out, Scratch& scratch) const = 0;
};

// `tensors` as in a published file; `origin` names it in errors. `precision` is one that the
// processor has; attention, norms and the embeddings of pieces stay in float32.
Result<std::unique_ptr<TextNetwork>> make_text_network(
    const TextSpec& spec, const StateDict& tensors, const std::string& origin,
    CpuPrecision precision = CpuPrecision::float32);

}  // namespace paco::embed
