// What operations change in mirror: edits, one cell at a time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/try.hpp"
#include "methods/mirror/mirror_rule_method.hpp"

namespace paco::methods {

void MirrorMethod::recount() {
  known_.assign(static_cast<std::size_t>(categories_.next()), 0);
  discovered_ = promoted_ = 0;
  for (CategoryId id = 0; id < categories_.next(); ++id) {
    const auto& owned = categories_[id].prototypes;
    const bool fixed =
        std::any_of(owned.begin(), owned.end(), [&](PrototypeId p) { return is_reference(p); });
    known_[static_cast<std::size_t>(id)] = fixed ? 1 : 0;
    discovered_ += categories_.is_live(id) && !fixed;
    promoted_ += categories_.is_live(id) && fixed && id >= known();
  }
}

CategoryId MirrorMethod::owner(PrototypeId id) const {
  if (const auto facts = decider_->facts(id)) return facts->category;
  for (CategoryId c = 0; c < categories_.next(); ++c) {
    const auto& owned = categories_[c].prototypes;
    if (std::binary_search(owned.begin(), owned.end(), id)) return c;
  }
  return kNoId;
}

MirrorDecider::Home MirrorMethod::home(PrototypeId id) const {
  const CategoryId category = owner(id);
  return {category, category == kNoId || !categories_[category].retired};
}

PrototypeRole MirrorMethod::role(PrototypeId id) const {
  if (id < 0 || id >= next_prototype()) return {};
  const Prototype p = prototype(id);
  return {owner(id),    !taken_back_.contains(id),
          id < known(), p.reference && id >= known(),
          p.competing,  p.members,
          p.counted};
}

Result<std::vector<float>> MirrorMethod::embedded(std::span<const double> embedding) const {
  if (const auto fault = check(embedding)) return *fault;
  PACO_ASSIGN(const math::Matrix<float> v,
              decider_->embed({embedding.data(), 1, embedding.size()}));
  return std::vector<float>(v[0].begin(), v[0].end());
}

Result<double> MirrorMethod::cosine(PrototypeId prototype,
                                    std::span<const double> embedding) const {
  PACO_ASSIGN(const std::vector<float> v, embedded(embedding));
  return decider_->cosine(prototype, v);
}

std::vector<float> MirrorMethod::direction(PrototypeId prototype) const {
  return decider_->direction(prototype);
}

std::vector<float> MirrorMethod::reference_row(PrototypeId prototype) const {
  return prototype < known() ? std::vector<float>() : decider_->row(prototype);
}

// A sample whose prototype is gone (a candidate that was dropped) has no share anywhere.
Result<std::pair<PrototypeId, bool>> MirrorMethod::place(std::uint64_t sequence,
                                                         PrototypeId prototype,
                                                         bool counted) const {
  if (const auto kept = decider_->place(sequence)) {
    prototype = kept->prototype;
    counted = kept->counted;
  } else if (mirror_->options.rehearse > 0) {
    return Error{ErrorCode::not_found,
                 fmt::format("where sample {} is filed now is not known any more: mirror keeps "
                             "that of the last {} samples",
                             sequence, mirror_->options.buffer),
                 "calibrate with a larger '--set buffer=', or with '--set rehearse=0'"};
  }
  return std::pair{prototype, counted || !decider_->facts(prototype)};
}

Result<void> MirrorMethod::apply(std::span<const Edit> edits, MemberSource* members) {
  // What can fail comes first: the embeddings of those that move.
  std::map<std::int64_t, std::vector<float>> moving;
  for (const Edit& edit : edits) {
    if (edit.cell != Edit::Cell::member) continue;
    if (members == nullptr) {
      return Error{ErrorCode::unsupported, "samples cannot be moved without their embeddings",
                   "keep the stream in a journal: 'paco discover --journal'"};
    }
    PACO_ASSIGN(const std::vector<double> raw,
                members->embedding(static_cast<std::uint64_t>(edit.id)));
    PACO_ASSIGN(moving[edit.id], embedded(raw));
  }
  for (const Edit& edit : edits) {
    const auto v = moving.find(edit.id);
    PACO_TRY(apply(edit, v == moving.end() ? std::span<const float>() : v->second));
  }
  recount();
  return {};
}

Result<void> MirrorMethod::apply(const Edit& edit, std::span<const float> moved) {
  switch (edit.cell) {
    case Edit::Cell::category:
      // What is gone keeps nothing, so that a state without it is the same.
      if (edit.id == categories_.next()) categories_.add({});
      decider_->reserve(0, categories_.next());
      categories_.edit(edit.id) = {};
      categories_.edit(edit.id).exists = edit.to != 0;
      if (edit.to != 0) categories_.edit(edit.id).birth = edit.birth;
      return {};
    case Edit::Cell::prototype:
      // It is there with its first sample.
      decider_->reserve(edit.id + 1, 0);
      if (edit.to != 0) {
        taken_back_.erase(edit.id);
      } else {
        taken_back_.insert(edit.id);
      }
      return {};
    case Edit::Cell::name:
      categories_.edit(edit.id).name = edit.to_text;
      return {};
    case Edit::Cell::forward:
      categories_.edit(edit.id).forward = edit.to;
      return {};
    case Edit::Cell::retired:
      categories_.edit(edit.id).retired = edit.to != 0;
      for (const PrototypeId p : categories_[edit.id].prototypes) {
        if (decider_->facts(p)) PACO_TRY(decider_->set_competing(p, edit.to == 0));
      }
      return {};
    case Edit::Cell::owner: {
      if (edit.from != kNoId) std::erase(categories_.edit(edit.from).prototypes, edit.id);
      if (edit.to == kNoId) return {};
      auto& owned = categories_.edit(edit.to).prototypes;
      owned.insert(std::lower_bound(owned.begin(), owned.end(), edit.id), edit.id);
      if (!decider_->facts(edit.id)) return {};
      PACO_TRY(decider_->set_competing(edit.id, !categories_[edit.to].retired));
      return decider_->set_category(edit.id, edit.to);
    }
    case Edit::Cell::reference:
      return edit.to != 0 ? decider_->fix(edit.id, edit.row, home(edit.id))
                          : decider_->loosen(edit.id);
    case Edit::Cell::member:
      return decider_->move(static_cast<std::uint64_t>(edit.id), moved,
                            {edit.from, edit.from_counted}, {edit.to, edit.to_counted},
                            home(edit.to));
  }
  return {};
}

}  // namespace paco::methods
