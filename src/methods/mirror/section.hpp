// Models and states of `mirror` as named tensors and a JSON text, the form in which they stand in a
// section of a file. Whoever owns the file writes and reads it; what is read is checked here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "methods/mirror/model.hpp"
#include "methods/mirror/state.hpp"
#include "paco/result.hpp"

namespace paco::methods {

struct SectionTensor {
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>> values;
  bool operator==(const SectionTensor&) const = default;
};

struct MirrorSection {
  std::map<std::string, SectionTensor> tensors;
  std::string settings;  // JSON
  bool operator==(const MirrorSection&) const = default;
};

MirrorSection to_section(const MirrorModel& model);
// `what` names the file in error texts.
Result<MirrorModel> model_from_section(const MirrorSection& section, const std::string& what);

MirrorSection to_section(const MirrorState& state, const MirrorModel& model);
Result<MirrorState> state_from_section(const MirrorSection& section, const MirrorModel& model,
                                       const std::string& what);

}  // namespace paco::methods
