// Fuzz target for the weights files of torch.save: zip archives, the older form, and the pickles in
// both. It stands apart from parsers.cpp because that one is linked into the unit tests of data.
#include "embed/weights/state_dict.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto state = paco::embed::parse_torch_file(std::as_bytes(std::span(data, size)), "input");
  if (!state.ok()) {
    if (state.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (const paco::embed::NamedTensor& tensor : *state) {
    std::uint64_t elements = 1;
    for (const std::uint64_t length : tensor.shape) elements *= length;
    if (elements != tensor.values.size()) __builtin_trap();
  }
  return 0;
}
