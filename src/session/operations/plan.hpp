// Turns an operation into the edits that carry it out: makes every check and changes nothing. This
// code is the same for all methods; the description of a method lists what it cannot do.
#pragma once

#include <span>
#include <vector>

#include "paco/method.hpp"
#include "paco/operation.hpp"

namespace paco::session {

// An operation that is ready to be applied: its edits, the cells that they build on, and its text.
using Plan = OperationOutcome;

inline Edit make_edit(Edit::Cell cell, std::int64_t id, std::int64_t from, std::int64_t to) {
  Edit edit;
  edit.cell = cell;
  edit.id = id;
  edit.from = from;
  edit.to = to;
  return edit;
}

// Decisions compare the best known class with the best of another one. Fails if fewer than two
// known classes would be in force after these edits.
Result<void> check_two_known_remain(std::span<const Edit> edits, Method& method);

// Plans every kind but undo. If `members` is null, nothing can be moved.
Result<Plan> plan_operation(const Operation& operation, Method& method, MemberSource* members);

// Plans to take back the operation with event number `operation.event` in the history.
Result<Plan> plan_undo(const Operation& operation, Method& method,
                       std::span<const OperationOutcome> history, MemberSource* members);

}  // namespace paco::session
