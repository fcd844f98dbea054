// From an operation to the edits that carry it out: every check, nothing changed. The same for all
// methods; what a method cannot do it says in its description.
#pragma once

#include <span>
#include <vector>

#include "paco/method.hpp"
#include "paco/operation.hpp"

namespace paco::session {

// An operation that is ready to be applied: edits, what they rely on, and what it says.
using Plan = OperationOutcome;

inline Edit make_edit(Edit::Cell cell, std::int64_t id, std::int64_t from, std::int64_t to) {
  Edit edit;
  edit.cell = cell;
  edit.id = id;
  edit.from = from;
  edit.to = to;
  return edit;
}

// Decisions compare the best known class with the best of another one: would two be in force after
// these edits?
Result<void> check_two_known_remain(std::span<const Edit> edits, Method& method);

// For all but undo. `members` may be null: then nothing can be moved.
Result<Plan> plan_operation(const Operation& operation, Method& method, MemberSource* members);

// Takes back the operation of event `operation.event`, as the history has it.
Result<Plan> plan_undo(const Operation& operation, Method& method,
                       std::span<const OperationOutcome> history, MemberSource* members);

}  // namespace paco::session
