// The state of a method as a file: what has been decided, who owns what, and the method's own
// numbers.
//
// Only what decisions depend on is stored; the rest is derived again. So equal states have equal
// bytes, however they came about. Ids that were given and taken back leave a trace in `next` alone,
// which the digest leaves out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "methods/common/prototype_table.hpp"
#include "paco/category.hpp"
#include "paco/method.hpp"

namespace paco::methods {

// Of the artifact.
inline constexpr const char* kStateKind = "state";
inline constexpr int kStateVersion = 2;

struct State {
  std::uint64_t samples = 0;
  Categories categories;
  PrototypeTable prototypes;
  Section own;  // what the method keeps besides: sums, fixed directions, counters
};

Result<std::vector<std::byte>> state_to_bytes(const State& state, const Method& method,
                                              const std::string& note);
Result<std::string> state_digest(const State& state, const Method& method);

// The file says that it is of this method and model, and the method is new.
Result<void> check_state_owner(const io::SafetensorsFile& file, const Method& method);

// Refuses the state of another method, model or settings, and one whose numbers contradict each
// other. States of 0.1 are read as well.
Result<State> state_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                               const Method& method);

}  // namespace paco::methods
