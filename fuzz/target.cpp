// One fuzz target; PACO_FUZZ_PARSER says which parser it is for.
#include <cstddef>
#include <cstdint>

#include "parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Either answer is fine; crashing, hanging and breaking a promise are not.
  const auto result = paco::fuzz::parse_as(PACO_FUZZ_PARSER, std::as_bytes(std::span(data, size)));
  if (!result.ok() && result.error().message.empty()) __builtin_trap();
  return 0;
}
