// The forward pass of a text encoder on a CPU: from the numbers of pieces to one embedding for each
// text.
//
// Texts are stored one after another without padding: the layers process all their tokens as rows
// of one matrix, and attention works on each text separately. So a short text has no extra cost
// from a longer one, and an embedding has the same bytes whatever other texts are in the call.
// Read-only after construction; any number of threads may run it, each with its own Scratch.
// plain_text.hpp computes the same in plain loops.
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
  // `tokens` are the tokens of all texts; text i ends before ends[i]. No text may be empty or
  // longer than the spec's positions, and no number may be beyond its vocabulary. out is (texts,
  // width).
  virtual void run(std::span<const std::int32_t> tokens, std::span<const std::size_t> ends,
                   float* out, Scratch& scratch) const = 0;
};

// `tensors` as in a published file; `origin` names it in errors. The processor must support
// `precision`; attention, norms and the embeddings of pieces stay in float32.
Result<std::unique_ptr<TextNetwork>> make_text_network(
    const TextSpec& spec, const StateDict& tensors, const std::string& origin,
    CpuPrecision precision = CpuPrecision::float32);

}  // namespace paco::embed
