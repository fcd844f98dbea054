// Operations and what they did as JSON: in journals, on the command line, over the network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "paco/operation.hpp"

namespace paco::session {

// {"kind": "merge", "categories": [112, 115], "into": 107, "actor": "ann"}
nlohmann::ordered_json operation_json(const Operation& operation);
// Refuses unknown keys and values of another type, by name.
Result<Operation> operation_from(const nlohmann::ordered_json& json);

// {"event", "sequence", "kind", "category", "text", "time", "actor"}: for people and programs.
nlohmann::ordered_json outcome_json(const OperationOutcome& outcome);

// All that undo and replay need: text, category, edits, builds.
std::string outcome_record(const OperationOutcome& outcome);
// Fills those in; the rest of the outcome is the caller's.
Result<void> read_outcome_record(const std::string& text, OperationOutcome& outcome);

}  // namespace paco::session
