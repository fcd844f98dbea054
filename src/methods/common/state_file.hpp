// The state of a method as a file: the decision counts, the categories and prototypes, and the
// method's own numbers.
//
// Only data that decisions depend on are stored; the rest is derived when the file is read. So
// equal states have equal bytes, whatever operations led to them. Ids that were assigned and then
// undone change only `next`, which the digest leaves out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "methods/common/prototype_table.hpp"
#include "paco/category.hpp"
#include "paco/method.hpp"

namespace paco::methods {

// The artifact's kind.
inline constexpr const char* kStateKind = "state";
inline constexpr int kStateVersion = 3;

struct State {
  std::uint64_t samples = 0;
  Categories categories;
  PrototypeTable prototypes;
  Section own;  // the method's own data: sums, fixed directions, counters
};

Result<std::vector<std::byte>> state_to_bytes(const State& state, const Method& method,
                                              const std::string& note);
Result<std::string> state_digest(const State& state, const Method& method);

// Refuses a state of another method, model or settings, and a state whose numbers contradict each
// other. `candidates`: true if prototypes can be without a category.
Result<State> state_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                               const Method& method, bool candidates);

}  // namespace paco::methods
