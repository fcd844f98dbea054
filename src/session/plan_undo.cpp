// Taking an operation back: what stands in the way, and the edits backwards.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/try.hpp"
#include "session/plan.hpp"

namespace paco {
namespace {

using Cell = Edit::Cell;

// Which operations are in force, and since which event: an operation that was undone is not, one
// that was redone is since then.
struct Standing {
  bool active = true;
  std::uint64_t since = 0;
};

std::map<std::uint64_t, Standing> standings(std::span<const OperationOutcome> history) {
  std::map<std::uint64_t, Standing> out;
  for (const OperationOutcome& done : history) {
    out[done.event] = {true, done.event};
    if (done.operation.kind != OperationKind::undo) continue;
    // Taking back an undo brings the operation behind it back, and so on down the chain.
    const auto target = out.find(done.operation.event);
    if (target != out.end()) target->second.active = false;
    const auto find = [&](std::uint64_t event) {
      return std::find_if(history.begin(), history.end(),
                          [&](const OperationOutcome& h) { return h.event == event; });
    };
    bool active = false;
    auto it = find(done.operation.event);
    while (it != history.end() && it->operation.kind == OperationKind::undo) {
      active = !active;
      it = find(it->operation.event);
    }
    if (it != history.end()) out[it->event] = {active, done.event};
  }
  return out;
}

// The operation behind a chain of undos, and whether the event at its end brings it about or takes
// it back.
struct Root {
  std::uint64_t event = 0;
  bool activates = true;
};

Root root_of(const OperationOutcome& outcome, std::span<const OperationOutcome> history) {
  Root root{outcome.event, true};
  const OperationOutcome* at = &outcome;
  while (at->operation.kind == OperationKind::undo) {
    root.activates = !root.activates;
    const auto target =
        std::find_if(history.begin(), history.end(),
                     [&](const OperationOutcome& h) { return h.event == at->operation.event; });
    if (target == history.end()) break;
    at = &*target;
    root.event = at->event;
  }
  return root;
}

std::set<std::uint64_t> cells_written(const OperationOutcome& outcome) {
  std::set<std::uint64_t> cells;
  for (const Edit& e : outcome.edits) cells.insert(e.key());
  return cells;
}

}  // namespace

Result<Plan> plan_undo(const Operation& operation, Method& method,
                       std::span<const OperationOutcome> history) {
  const auto target =
      std::find_if(history.begin(), history.end(),
                   [&](const OperationOutcome& done) { return done.event == operation.event; });
  if (target == history.end()) {
    return Error{ErrorCode::not_found, fmt::format("event {} is no operation", operation.event),
                 "'paco category history' shows those there are"};
  }
  const auto standing = standings(history);
  const Root root = root_of(*target, history);
  const Standing& own = standing.at(root.event);
  if (!standing.at(target->event).active || own.active != root.activates) {
    return Error{ErrorCode::bad_value,
                 fmt::format("event {} has been taken back already", operation.event),
                 "undo the undo to have it again"};
  }
  const std::set<std::uint64_t> written = cells_written(*target);
  for (auto later = history.rbegin(); later != history.rend(); ++later) {
    if (later->operation.kind == OperationKind::undo) continue;
    const Standing& its = standing.at(later->event);
    if (!its.active || its.since <= own.since || later->event == root.event) continue;
    const std::set<std::uint64_t> its_cells = cells_written(*later);
    const auto touches = [&](std::uint64_t cell) { return written.contains(cell); };
    if (std::none_of(its_cells.begin(), its_cells.end(), touches) &&
        std::none_of(later->builds.begin(), later->builds.end(), touches)) {
      continue;
    }
    return Error{
        ErrorCode::bad_value,
        fmt::format("event {} ({}) builds on event {}", its.since, later->text, operation.event),
        fmt::format("undo event {} first", its.since)};
  }

  Plan plan;
  plan.operation = operation;
  plan.sequence = method.samples();
  plan.category = target->category;
  plan.builds = target->builds;
  plan.text = fmt::format("took back event {}: {}", operation.event, target->text);
  Editor& editor = method.editor();
  const Categories& categories = method.categories();
  // What an operation made goes with it, unless the stream has used it since.
  std::map<PrototypeId, std::int64_t> leaving;
  for (const Edit& e : target->edits) {
    if (e.cell == Cell::member) ++leaving[e.to];
  }
  std::set<PrototypeId> kept_prototypes;
  std::set<CategoryId> kept_categories;
  for (const Edit& e : target->edits) {
    if (e.cell == Cell::prototype && e.to == 1) {
      const PrototypeRole role = editor.role(e.id);
      if (role.members + role.counted > leaving[e.id]) kept_prototypes.insert(e.id);
    }
  }
  for (const Edit& e : target->edits) {
    if (e.cell == Cell::owner && kept_prototypes.contains(e.id)) kept_categories.insert(e.to);
  }
  for (auto e = target->edits.rbegin(); e != target->edits.rend(); ++e) {
    if (e->cell == Cell::prototype && kept_prototypes.contains(e->id)) continue;
    if (e->cell == Cell::owner && kept_prototypes.contains(e->id)) continue;
    if (e->cell == Cell::name && kept_categories.contains(e->id)) continue;
    if (e->cell == Cell::name && e->to_text != e->from_text && !e->from_text.empty()) {
      const CategoryId other = categories.find(e->from_text);
      if (other != kNobody && other != e->id) {
        return Error{ErrorCode::bad_value,
                     fmt::format("category {} is called '{}' meanwhile", other, e->from_text),
                     "rename it first"};
      }
    }
    if (e->cell == Cell::category && e->to == 1) {
      if (kept_categories.contains(e->id)) continue;
      if (categories[e->id].answered > 0) {
        // Samples were answered with it: it leads to where its prototypes went.
        CategoryId back = kNobody;
        for (const Edit& other : target->edits) {
          if (other.cell == Cell::owner && other.to == e->id) back = other.from;
          if (other.cell == Cell::member && back == kNobody) back = editor.role(other.from).owner;
        }
        plan.edits.push_back(make_edit(Cell::forward, e->id, kNobody, back));
        continue;
      }
    }
    plan.edits.push_back(e->inverse());
  }
  PACO_TRY(check_two_known_remain(plan.edits, method));
  return plan;
}

}  // namespace paco
