// Plans an undo: checks what prevents it, and inverts the edits.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/try.hpp"
#include "session/operations/plan.hpp"

namespace paco::session {
namespace {

using Cell = Edit::Cell;

// Whether an operation is in force, and since which event: an operation that was undone is not in
// force; one that was redone is in force since the redo.
struct Standing {
  bool active = true;
  std::uint64_t since = 0;
};

std::map<std::uint64_t, Standing> standings(std::span<const OperationOutcome> history) {
  std::map<std::uint64_t, Standing> out;
  for (const OperationOutcome& done : history) {
    out[done.event] = {true, done.event};
    if (done.operation.kind != OperationKind::undo) continue;
    // Taking back an undo restores the operation that it undid, and so on along the chain.
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

// The operation at the end of a chain of undos, and whether the chain restores it or takes it back.
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

// An operation may be restored although another one that it relied on was taken back meanwhile. So
// the cells that it changes must be as they were when it was first applied.
Result<void> check_as_left(std::span<const Edit> edits, const Method& method, const Editor& editor,
                           MemberSource* members, std::uint64_t event) {
  const Categories& categories = method.categories();
  // The target of a forward or a new owner must be in force, or be restored by these edits.
  std::set<std::uint64_t> made;
  for (const Edit& e : edits) {
    if ((e.cell == Cell::category || e.cell == Cell::prototype) && e.to != 0) made.insert(e.key());
    if (e.cell == Cell::forward && e.to == kNoId) made.insert(Edit::cell_key(Cell::category, e.id));
  }
  const auto there = [&](Cell cell, std::int64_t id) {
    return made.contains(Edit::cell_key(cell, id)) ||
           (cell == Cell::category ? categories.is_live(id) : editor.role(id).exists);
  };
  // The prototypes that these edits assign to samples.
  std::map<std::int64_t, PrototypeId> put;
  for (const Edit& e : edits) {
    if (e.cell == Cell::member) put[e.id] = e.to;
  }
  std::set<std::uint64_t> seen;
  for (const Edit& e : edits) {
    if (!seen.insert(e.key()).second) continue;  // determined by an earlier edit of this cell
    const bool old = e.cell == Cell::category || e.cell == Cell::name || e.cell == Cell::forward ||
                             e.cell == Cell::retired
                         ? e.id < categories.next()
                         : e.id < method.next_prototype();
    bool same = true;
    switch (e.cell) {
      case Cell::category:
        same = categories.has(e.id) == (e.from != 0);
        break;
      case Cell::prototype:
        same = editor.role(e.id).exists == (e.from != 0);
        break;
      case Cell::name:
        same = !old || categories[e.id].name == e.from_text;
        break;
      case Cell::forward:
        same = (!old || categories[e.id].forward == e.from) &&
               (e.to == kNoId || there(Cell::category, e.to));
        break;
      case Cell::retired:
        same = !old || categories[e.id].retired == (e.from != 0);
        break;
      case Cell::owner:
        same = (!old || editor.role(e.id).owner == e.from) &&
               (e.to == kNoId || there(Cell::category, e.to));
        break;
      case Cell::reference:
        same = !old || editor.role(e.id).promoted == (e.from != 0);
        break;
      case Cell::member:
        same = there(Cell::prototype, e.to);
        if (same && members != nullptr) {
          PACO_ASSIGN(const auto now, members->membership(static_cast<std::uint64_t>(e.id)));
          same = now == std::pair<PrototypeId, bool>(e.from, e.from_counted);
        }
        break;
      case Cell::verified:
        if (members == nullptr) break;
        same = members->verified(static_cast<std::uint64_t>(e.id)) == e.from;
        if (same && e.to != kNoId) {
          const auto moved = put.find(e.id);
          PACO_ASSIGN(const PrototypeId shown, members->shown(static_cast<std::uint64_t>(e.id)));
          same = (moved == put.end() ? shown : moved->second) == e.to;
        }
        break;
    }
    if (same) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("event {} relies on operations that were taken back", event),
                 "bring those back first; 'paco category history' shows them"};
  }
  return {};
}

// A name may have been given to another category meanwhile; check the names that the edits restore.
Result<void> check_names_differ(std::span<const Edit> edits, const Method& method) {
  const Categories& categories = method.categories();
  std::map<CategoryId, Category> after;  // of the categories that the edits change
  for (const Edit& e : edits) {
    if (e.cell != Cell::name && e.cell != Cell::forward && e.cell != Cell::category) continue;
    auto [at, fresh] = after.try_emplace(e.id);
    if (fresh && e.id < categories.next()) at->second = categories[e.id];
    if (e.cell == Cell::category) {
      at->second = {};
      at->second.exists = e.to != 0;
    } else if (e.cell == Cell::name) {
      at->second.name = e.to_text;
    } else {
      at->second.forward = e.to;
    }
  }
  const auto live = [](const Category& c) { return c.exists && c.forward == kNoId; };
  std::map<std::string, CategoryId> taken;
  for (CategoryId id = 0; id < categories.next(); ++id) {
    if (!after.contains(id) && categories.is_live(id)) taken.emplace(categories.name(id), id);
  }
  for (const auto& [id, category] : after) {
    if (!live(category)) continue;
    const std::string name = !category.name.empty() ? category.name : categories.own_name(id);
    const auto [other, fresh] = taken.emplace(name, id);
    if (fresh) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("category {} is called '{}' meanwhile", other->second, name),
                 "rename it first"};
  }
  return {};
}

std::set<std::uint64_t> cells_written(const OperationOutcome& outcome) {
  std::set<std::uint64_t> cells;
  for (const Edit& e : outcome.edits) cells.insert(e.key());
  return cells;
}

}  // namespace

Result<Plan> plan_undo(const Operation& operation, Method& method,
                       std::span<const OperationOutcome> history, MemberSource* members) {
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
  // Remove what the operation created, unless the stream has used it since.
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
    if (e->cell == Cell::category && e->to == 1) {
      if (kept_categories.contains(e->id)) continue;
      if (categories[e->id].answered > 0) {
        // Samples were answered with this category: forward it to the previous owner of its
        // prototypes.
        CategoryId back = kNoId;
        for (const Edit& other : target->edits) {
          if (other.cell == Cell::owner && other.to == e->id) back = other.from;
          if (other.cell == Cell::member && back == kNoId) back = editor.role(other.from).owner;
        }
        plan.edits.push_back(make_edit(Cell::forward, e->id, kNoId, back));
        continue;
      }
    }
    plan.edits.push_back(e->inverse());
  }
  PACO_TRY(check_as_left(plan.edits, method, editor, members, operation.event));
  PACO_TRY(check_two_known_remain(plan.edits, method));
  PACO_TRY(check_names_differ(plan.edits, method));
  return plan;
}

}  // namespace paco::session
