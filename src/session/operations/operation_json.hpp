// Operations and their outcomes as JSON: in journals, on the command line, over the network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "paco/operation.hpp"

namespace paco::session {

// {"kind": "merge", "categories": [112, 115], "into": 107, "actor": "ann"}
nlohmann::ordered_json operation_json(const Operation& operation);
// Unknown keys and values of a wrong type are errors, which name the key.
Result<Operation> operation_from(const nlohmann::ordered_json& json);

// {"event", "sequence", "kind", "category", "text", "time", "actor"}: for people and programs.
nlohmann::ordered_json outcome_json(const OperationOutcome& outcome);

// All that undo and replay need: text, category, edits and the cells that they build on.
std::string outcome_record(const OperationOutcome& outcome);
// Sets the fields above; the caller sets the rest of the outcome.
Result<void> read_outcome_record(const std::string& text, OperationOutcome& outcome);

}  // namespace paco::session
