// The part of `paco inspect` for files that paco itself writes: models, states, decisions.
#pragma once

#include <string>

#include "cli/verb.hpp"

namespace paco {

struct Inspection {
  Json json;
  std::string text;
};

// A model or a state, depending on the kind stored in the file.
Result<Inspection> inspect_artifact(const std::string& path);

// The decision with this sequence number, as one sentence.
Result<Inspection> explain_decision(const std::string& decisions, const std::string& model,
                                    std::uint64_t sequence);

}  // namespace paco
