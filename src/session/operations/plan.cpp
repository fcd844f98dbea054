#include "session/operations/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/printable.hpp"
#include "core/try.hpp"

namespace paco::session {
namespace {

using Cell = Edit::Cell;

constexpr std::size_t kLongestName = 256;  // bytes; names occur in every answer and every list

class Planner {
 public:
  Planner(const Operation& operation, Method& method, MemberSource* members)
      : o_(operation),
        method_(method),
        categories_(method.categories()),
        editor_(method.editor()),
        members_(members) {
    plan_.operation = operation;
    plan_.sequence = method.samples();
  }

  Result<Plan> run() {
    if (!method_.info().supports(o_.kind)) {
      std::vector<std::string_view> able;
      for (const OperationKind kind : method_.info().operations)
        able.push_back(operation_name(kind));
      return Error{
          ErrorCode::unsupported,
          fmt::format("method '{}' does not support '{}'", method_.name(), operation_name(o_.kind)),
          fmt::format("it can: {}", fmt::join(able, ", "))};
    }
    PACO_TRY(dispatch());
    PACO_TRY(check_two_known_remain(plan_.edits, method_));
    return std::move(plan_);
  }

 private:
  Result<void> dispatch() {
    switch (o_.kind) {
      case OperationKind::rename:
        return rename();
      case OperationKind::merge:
        return merge();
      case OperationKind::separate:
        return separate();
      case OperationKind::move:
        return move();
      case OperationKind::promote:
        return promote();
      case OperationKind::demote:
        return demote();
      case OperationKind::retire:
      case OperationKind::revive:
        return retire(o_.kind == OperationKind::retire);
      case OperationKind::verify:
        return verify();
      case OperationKind::undo:
        break;
    }
    return {};
  }

  Result<void> check_live(CategoryId id) const {
    if (!categories_.has(id)) {
      return Error{ErrorCode::not_found, fmt::format("there is no category {}", id),
                   "'paco category list' shows those there are"};
    }
    const CategoryId now = categories_.now(id);
    if (now == id) return {};
    return Error{
        ErrorCode::bad_value,
        fmt::format("category {} was merged into {} ('{}')", id, now, categories_.name(now)),
        fmt::format("name {}, or undo the merge", now)};
  }

  Result<void> check_in_force(CategoryId id) const {
    PACO_TRY(check_live(id));
    if (!categories_[id].retired) return {};
    return Error{ErrorCode::bad_value,
                 fmt::format("category {} ('{}') is retired", id, categories_.name(id)),
                 fmt::format("revive it first: 'paco category revive {}'", id)};
  }

  Result<void> check_name(std::string_view name, CategoryId own) const {
    const auto refuse = [&](const std::string& why, const char* hint) {
      return Error{ErrorCode::bad_value, why, hint};
    };
    if (name.size() > kLongestName) {
      return refuse(
          fmt::format("a name of {} bytes, at most {} are taken", name.size(), kLongestName),
          "choose a shorter one");
    }
    if (!core::is_utf8(name))
      return refuse(fmt::format("the name '{}' is not UTF-8", core::printable(name)),
                    "write it in UTF-8");
    if (name.find_first_not_of(" \t\r\n") == std::string_view::npos)
      return refuse("the name is empty", "give a name with letters in it");
    if (name == categories_.own_name(own)) return {};
    constexpr std::string_view kOwn = "category ";
    CategoryId id = 0;
    const char* const number = name.data() + std::min(kOwn.size(), name.size());
    if (name.starts_with(kOwn) &&
        std::from_chars(number, name.data() + name.size(), id).ec == std::errc() &&
        name == categories_.own_name(id)) {
      return refuse(fmt::format("'{}' is the name that category {} gets by itself", name, id),
                    "choose another name");
    }
    const CategoryId other = categories_.find(name);
    if (other == kNoId || other == own) return {};
    return refuse(fmt::format("category {} is called '{}' already", other, name),
                  "choose another name, or merge the two");
  }

  void add_name(CategoryId id, const std::string& to) {
    Edit e = make_edit(Cell::name, id, 0, 0);
    e.from_text = id < categories_.next() ? categories_[id].name : "";
    e.to_text = to == categories_.own_name(id) ? "" : to;
    plan_.edits.push_back(std::move(e));
  }

  void builds_on(Cell cell, std::int64_t id) { plan_.builds.push_back(Edit::cell_key(cell, id)); }
  void builds_on_owner(CategoryId id) {
    builds_on(Cell::category, id);
    for (const PrototypeId p : categories_[id].prototypes) builds_on(Cell::owner, p);
  }

  std::string shown(CategoryId id) const {
    return fmt::format("{} ('{}')", id, categories_.name(id));
  }

  Result<void> rename() {
    PACO_TRY(check_live(o_.category));
    PACO_TRY(check_name(o_.name, o_.category));
    plan_.text = fmt::format("category {} is now called '{}'", shown(o_.category), o_.name);
    add_name(o_.category, o_.name);
    builds_on(Cell::category, o_.category);
    plan_.category = o_.category;
    return {};
  }

  Result<void> merge() {
    PACO_TRY(check_in_force(o_.category));
    std::vector<CategoryId> others;
    for (const CategoryId id : o_.categories) {
      PACO_TRY(check_in_force(id));
      if (id != o_.category && std::count(others.begin(), others.end(), id) == 0)
        others.push_back(id);
    }
    if (others.empty()) {
      return Error{ErrorCode::bad_argument, "there is nothing to merge",
                   "name at least one other category"};
    }
    std::vector<std::string> names;
    for (const CategoryId id : others) {
      names.push_back(shown(id));
      for (const PrototypeId p : categories_[id].prototypes)
        plan_.edits.push_back(make_edit(Cell::owner, p, id, o_.category));
      plan_.edits.push_back(make_edit(Cell::forward, id, kNoId, o_.category));
      builds_on(Cell::category, id);
      builds_on(Cell::retired, id);
    }
    builds_on_owner(o_.category);
    builds_on(Cell::retired, o_.category);
    builds_on(Cell::forward, o_.category);
    plan_.category = o_.category;
    plan_.text = fmt::format("merged {} into {}", fmt::join(names, ", "), shown(o_.category));
    return {};
  }

  // The edit that creates a category or prototype.
  Edit made(Cell cell, std::int64_t id) const {
    Edit e = make_edit(cell, id, 0, 1);
    e.birth = method_.samples();
    return e;
  }
  CategoryId new_category() {
    const CategoryId id = categories_.next();
    plan_.edits.push_back(made(Cell::category, id));
    plan_.category = id;
    return id;
  }

  Result<void> separate() {
    PACO_TRY(check_in_force(o_.category));
    const std::vector<PrototypeId>& owned = categories_[o_.category].prototypes;
    const std::set<PrototypeId> named(o_.prototypes.begin(), o_.prototypes.end());
    for (const PrototypeId p : named) {
      if (std::binary_search(owned.begin(), owned.end(), p)) continue;
      return Error{ErrorCode::not_found,
                   fmt::format("category {} owns no prototype {}", shown(o_.category), p),
                   fmt::format("it owns {}", fmt::join(owned, ", "))};
    }
    if (named.empty() || named.size() == owned.size()) {
      return Error{ErrorCode::bad_argument,
                   named.empty()
                       ? "no prototype is named"
                       : fmt::format("all prototypes of category {} are named", shown(o_.category)),
                   fmt::format("name some of {} and leave some", fmt::join(owned, ", "))};
    }
    const CategoryId born = new_category();
    if (!o_.name.empty()) {
      PACO_TRY(check_name(o_.name, born));
      add_name(born, o_.name);
    }
    for (const PrototypeId p : named)
      plan_.edits.push_back(make_edit(Cell::owner, p, o_.category, born));
    builds_on(Cell::category, o_.category);
    builds_on(Cell::retired, o_.category);
    plan_.text = fmt::format("separated category {} with {} {} from {}", born,
                             named.size() == 1 ? "prototype" : "prototypes", fmt::join(named, ", "),
                             shown(o_.category));
    return {};
  }

  Result<void> move() {
    if (members_ == nullptr) {
      return Error{ErrorCode::unsupported, "samples cannot be moved without their embeddings",
                   "keep the stream in a journal: 'paco discover --journal'"};
    }
    const std::set<std::uint64_t> samples(o_.samples.begin(), o_.samples.end());
    if (samples.empty())
      return Error{ErrorCode::bad_argument, "no sample is named", "give sequence numbers"};
    const bool to_new = o_.category == kNoId;
    PrototypeId target = kNoId;
    std::vector<PrototypeId> choices;
    if (to_new) {
      const CategoryId born = new_category();
      if (!o_.name.empty()) {
        PACO_TRY(check_name(o_.name, born));
        add_name(born, o_.name);
      }
      target = method_.next_prototype();
      plan_.edits.push_back(made(Cell::prototype, target));
      plan_.edits.push_back(make_edit(Cell::owner, target, kNoId, born));
    } else {
      PACO_TRY(check_in_force(o_.category));
      for (const PrototypeId p : categories_[o_.category].prototypes) {
        if (editor_.role(p).competing) choices.push_back(p);
      }
      if (choices.empty()) {
        return Error{ErrorCode::bad_value,
                     fmt::format("category {} has no prototype to join", shown(o_.category)),
                     "move the samples to a new category"};
      }
      builds_on(Cell::category, o_.category);
      builds_on(Cell::retired, o_.category);
      plan_.category = o_.category;
    }
    for (const std::uint64_t sample : samples) PACO_TRY(move_one(sample, target, choices));
    plan_.text =
        fmt::format("moved {} {} to {}", samples.size(), samples.size() == 1 ? "sample" : "samples",
                    to_new ? fmt::format("the new category {}", plan_.category)
                           : fmt::format("category {}", shown(o_.category)));
    return {};
  }

  Result<void> check_sample(std::uint64_t sample) const {
    if (sample < method_.samples()) return {};
    return Error{ErrorCode::not_found, fmt::format("there is no sample {}", sample),
                 method_.samples() == 0
                     ? std::string("the stream has none yet")
                     : fmt::format("sequence numbers go from 0 to {}", method_.samples() - 1)};
  }

  Result<void> move_one(std::uint64_t sample, PrototypeId target,
                        const std::vector<PrototypeId>& choices) {
    PACO_TRY(check_sample(sample));
    PACO_ASSIGN(const auto where, members_->membership(sample));
    const auto& [from, counted] = where;
    if (target == kNoId) {
      PACO_ASSIGN(const std::vector<double> embedding, members_->embedding(sample));
      double best = 0;
      for (const PrototypeId p : choices) {
        PACO_ASSIGN(const double cosine, editor_.cosine(p, embedding));
        if (target != kNoId && cosine <= best) continue;
        target = p;
        best = cosine;
      }
    }
    // Moving a sample removes the confirmation of its old place.
    const PrototypeId confirmed = members_->verified(sample);
    if (confirmed != kNoId) {
      plan_.edits.push_back(
          make_edit(Cell::verified, static_cast<std::int64_t>(sample), confirmed, kNoId));
    }
    const PrototypeRole to = editor_.role(target);
    if (from == target) {
      return Error{ErrorCode::bad_value,
                   fmt::format("sample {} is in category {} already", sample, shown(to.owner)),
                   "leave it out"};
    }
    Edit e = make_edit(Cell::member, static_cast<std::int64_t>(sample), from, target);
    e.from_counted = counted;
    e.to_counted = to.support || to.promoted;
    plan_.edits.push_back(e);
    for (const PrototypeId p : {from, target}) {
      builds_on(Cell::prototype, p);
      builds_on(Cell::reference, p);
    }
    builds_on(Cell::owner, target);
    return {};
  }

  // The mark is set on the prototype that the sample belongs to now, so it follows a merge.
  Result<void> verify() {
    if (members_ == nullptr) {
      return Error{ErrorCode::unsupported, "samples can be verified in a journal only",
                   "keep the stream in a journal: 'paco discover --journal'"};
    }
    const std::set<std::uint64_t> samples(o_.samples.begin(), o_.samples.end());
    if (samples.empty())
      return Error{ErrorCode::bad_argument, "no sample is named", "give sequence numbers"};
    for (const std::uint64_t sample : samples) {
      PACO_TRY(check_sample(sample));
      if (members_->verified(sample) != kNoId) continue;
      PACO_ASSIGN(const PrototypeId where, members_->shown(sample));
      if (editor_.role(where).owner == kNoId) {
        return Error{ErrorCode::bad_value, fmt::format("sample {} is in no category yet", sample),
                     "move it to one first"};
      }
      const auto id = static_cast<std::int64_t>(sample);
      plan_.edits.push_back(make_edit(Cell::verified, id, kNoId, where));
      builds_on(Cell::member, id);
      builds_on(Cell::prototype, where);
      builds_on(Cell::owner, where);
    }
    if (plan_.edits.empty()) {
      return Error{ErrorCode::bad_value,
                   samples.size() == 1
                       ? fmt::format("sample {} is verified already", *samples.begin())
                       : fmt::format("all {} samples are verified already", samples.size()),
                   ""};
    }
    plan_.text = fmt::format("verified {} {}", plan_.edits.size(),
                             plan_.edits.size() == 1 ? "sample" : "samples");
    return {};
  }

  Result<void> promote() {
    PACO_TRY(check_in_force(o_.category));
    std::size_t promoted = 0;
    for (const PrototypeId p : categories_[o_.category].prototypes) {
      const PrototypeRole role = editor_.role(p);
      if (role.support || role.promoted || !role.competing) continue;
      Edit e = make_edit(Cell::reference, p, 0, 1);
      e.row = editor_.direction(p);
      if (std::all_of(e.row.begin(), e.row.end(), [](float x) { return x == 0; })) {
        return Error{
            ErrorCode::bad_value,
            fmt::format("prototype {} of category {} points nowhere", p, shown(o_.category)),
            "its samples cancel each other; move some of them first"};
      }
      plan_.edits.push_back(std::move(e));
      builds_on(Cell::prototype, p);
      ++promoted;
    }
    if (promoted == 0) {
      return Error{ErrorCode::bad_value,
                   fmt::format("category {} is a known class already", shown(o_.category)),
                   "only discovered categories can be promoted"};
    }
    if (!o_.name.empty()) {
      PACO_TRY(check_name(o_.name, o_.category));
      add_name(o_.category, o_.name);
    }
    builds_on_owner(o_.category);
    builds_on(Cell::retired, o_.category);
    plan_.category = o_.category;
    plan_.text = fmt::format("category {} is now a known class{}", shown(o_.category),
                             o_.name.empty() ? "" : fmt::format(", '{}'", o_.name));
    return {};
  }

  Result<void> demote() {
    PACO_TRY(check_in_force(o_.category));
    for (const PrototypeId p : categories_[o_.category].prototypes) {
      if (!editor_.role(p).promoted) continue;
      Edit e = make_edit(Cell::reference, p, 1, 0);
      e.row = editor_.reference_row(p);
      plan_.edits.push_back(std::move(e));
    }
    if (plan_.edits.empty()) {
      return Error{ErrorCode::bad_value,
                   fmt::format("category {} was not promoted", shown(o_.category)),
                   "only what was promoted can be demoted"};
    }
    builds_on_owner(o_.category);
    builds_on(Cell::retired, o_.category);
    plan_.category = o_.category;
    plan_.text = fmt::format("category {} adapts again", shown(o_.category));
    return {};
  }

  Result<void> retire(bool retire) {
    PACO_TRY(check_live(o_.category));
    if (categories_[o_.category].retired == retire) {
      return Error{ErrorCode::bad_value,
                   fmt::format("category {} is {} already", shown(o_.category),
                               retire ? "retired" : "in force"),
                   ""};
    }
    plan_.edits.push_back(make_edit(Cell::retired, o_.category, !retire, retire));
    builds_on_owner(o_.category);
    builds_on(Cell::forward, o_.category);
    for (const PrototypeId p : categories_[o_.category].prototypes) builds_on(Cell::reference, p);
    plan_.category = o_.category;
    plan_.text = retire ? fmt::format("category {} takes no part any more", shown(o_.category))
                        : fmt::format("category {} takes part again", shown(o_.category));
    return {};
  }

  const Operation& o_;
  Method& method_;
  const Categories& categories_;
  Editor& editor_;
  MemberSource* members_;
  Plan plan_;
};

}  // namespace

// Step 1 of a decision compares the best known class with the best of another one, so two must
// remain. Counts the known classes after the edits.
Result<void> check_two_known_remain(std::span<const Edit> edits, Method& method) {
  const Editor& editor = method.editor();
  std::map<PrototypeId, CategoryId> owner;
  std::map<PrototypeId, bool> promoted;
  std::map<CategoryId, bool> retired;
  bool matters = false;
  for (const Edit& e : edits) {
    if (e.cell == Cell::owner) owner[e.id] = e.to;
    if (e.cell == Cell::reference) promoted[e.id] = e.to != 0;
    if (e.cell == Cell::retired) retired[e.id] = e.to != 0;
    matters =
        matters || e.cell == Cell::owner || e.cell == Cell::reference || e.cell == Cell::retired;
  }
  if (!matters) return {};
  std::set<CategoryId> known;
  for (PrototypeId p = 0; p < method.next_prototype() && known.size() < 2; ++p) {
    const PrototypeRole role = editor.role(p);
    const auto fixed = promoted.find(p);
    const bool reference =
        role.support || (fixed == promoted.end() ? role.promoted : fixed->second);
    if (!role.exists || !reference) continue;
    const auto moved = owner.find(p);
    const CategoryId c = moved == owner.end() ? role.owner : moved->second;
    const auto out = retired.find(c);
    if (out == retired.end() ? method.categories()[c].retired : out->second) continue;
    known.insert(c);
  }
  if (known.size() >= 2) return {};
  return Error{ErrorCode::bad_value, "fewer than 2 known classes would remain",
               "decisions compare two known classes at least; promote another category first"};
}

Result<Plan> plan_operation(const Operation& operation, Method& method, MemberSource* members) {
  return Planner(operation, method, members).run();
}

}  // namespace paco::session
