// How operations change a method: edits, one cell at a time, and the sums of prototypes whose
// members change.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/method_base.hpp"

namespace paco::methods {

// A prototype after samples have joined or left it.
struct MethodBase::Regrouped {
  PrototypeId prototype = 0;
  std::int64_t members = 0, counted = 0;
  std::vector<double> sum;  // empty for a support class
};

// Computes the sum of one group of regroup(): the samples `gone` leave and the samples `here` join.
Result<void> MethodBase::add_up(Regrouped& group, std::span<const std::uint64_t> gone,
                                std::vector<std::uint64_t> here, MemberSource& members) const {
  const auto add = [&](std::uint64_t sequence, float sign) -> Result<void> {
    PACO_ASSIGN(const std::vector<double> raw, members.embedding(sequence));
    Result<std::vector<float>> unit = space_->apply(raw);
    if (!unit.ok()) {
      return Error{ErrorCode::bad_value,
                   fmt::format("the embedding of sample {} cannot be placed", sequence),
                   "verify the journal"};
    }
    for (float& x : *unit) x *= sign;
    math::accumulate(group.sum.data(), unit->data(), unit->size());
    return {};
  };
  const bool is_new = group.prototype >= next_prototype();
  if (exact_sums() || !members.knows_all()) {
    const bool empty = is_new || !has_sum(group.prototype);
    group.sum = empty ? std::vector<double>(model_->dimension, 0.0) : sum(group.prototype);
    for (const std::uint64_t sequence : gone) PACO_TRY(add(sequence, -1));
    for (const std::uint64_t sequence : here) PACO_TRY(add(sequence, 1));
    // A prototype without members must have a sum without rounding errors.
    if (!exact_sums() && group.members == 0) std::fill(group.sum.begin(), group.sum.end(), 0.0);
    return {};
  }
  // Adds up the embeddings of the remaining members in stream order, which is the order in which
  // they would have been added originally.
  std::vector<MemberSource::Member> present;
  if (!is_new) {
    PACO_ASSIGN(present, members.members(group.prototype));
  }
  for (const MemberSource::Member& member : present) {
    if (!member.counted && !std::binary_search(gone.begin(), gone.end(), member.sequence))
      here.push_back(member.sequence);
  }
  std::sort(here.begin(), here.end());
  group.sum.assign(model_->dimension, 0.0);
  for (const std::uint64_t sequence : here) PACO_TRY(add(sequence, 1));
  if (static_cast<std::int64_t>(here.size()) == group.members) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("prototype {} should have {} members, the journal has {}",
                           group.prototype, group.members, here.size()),
               "verify the journal"};
}

// Computes the members and sums of all prototypes that lose or gain a sample.
Result<std::vector<MethodBase::Regrouped>> MethodBase::regroup(std::span<const Edit> edits,
                                                               MemberSource* members) const {
  std::map<PrototypeId, std::vector<const Edit*>> touched;
  for (const Edit& edit : edits) {
    if (edit.cell != Edit::Cell::member) continue;
    touched[edit.from].push_back(&edit);
    touched[edit.to].push_back(&edit);
  }
  std::vector<Regrouped> out;
  if (touched.empty()) return out;
  if (members == nullptr) {
    return Error{ErrorCode::unsupported, "samples cannot be moved without their embeddings",
                 "keep the stream in a journal: 'paco discover --journal'"};
  }
  for (const auto& [prototype, changes] : touched) {
    Regrouped group;
    group.prototype = prototype;
    const bool is_new = prototype >= next_prototype();
    const bool support = !is_new && table_[prototype].support;
    group.members = is_new ? 0 : table_[prototype].members;
    group.counted = is_new ? 0 : table_[prototype].counted;
    std::vector<std::uint64_t> gone, here;
    for (const Edit* edit : changes) {
      if (edit->from == prototype) {
        --(edit->from_counted ? group.counted : group.members);
        if (!edit->from_counted) gone.push_back(static_cast<std::uint64_t>(edit->id));
      }
      if (edit->to == prototype) {
        ++(edit->to_counted ? group.counted : group.members);
        if (!edit->to_counted) here.push_back(static_cast<std::uint64_t>(edit->id));
      }
    }
    std::sort(gone.begin(), gone.end());
    if (!support) PACO_TRY(add_up(group, gone, std::move(here), *members));
    out.push_back(std::move(group));
  }
  return out;
}

Result<void> MethodBase::apply(std::span<const Edit> edits, MemberSource* members) {
  PACO_ASSIGN(std::vector<Regrouped> groups, regroup(edits, members));
  for (const Edit& edit : edits) apply(edit);
  std::vector<NewSum> sums;
  for (Regrouped& group : groups) {
    PrototypeRecord& record = table_.edit(group.prototype);
    if (!record.exists) continue;
    record.members = group.members;
    // If a candidate was dropped, no prototype counts its sample.
    if (record.owner != kNoId) record.counted = group.counted;
    if (!group.sum.empty()) sums.push_back({group.prototype, std::move(group.sum)});
  }
  table_.recount();
  recount_categories();
  edited(std::move(sums));
  for (const Edit& edit : edits) {
    if (edit.cell == Edit::Cell::member) sample_moved(edit);
  }
  return {};
}

void MethodBase::apply(const Edit& edit) {
  switch (edit.cell) {
    case Edit::Cell::category:
      // A removed category keeps no data, so that the state equals one in which it never existed.
      if (edit.id == categories_.next()) categories_.add({});
      categories_.edit(edit.id) = {};
      categories_.edit(edit.id).exists = edit.to != 0;
      if (edit.to != 0) categories_.edit(edit.id).birth = edit.birth;
      return;
    case Edit::Cell::prototype: {
      PrototypeRecord record;
      record.exists = edit.to != 0;
      if (edit.to != 0) record.birth = edit.birth;
      if (edit.id == next_prototype()) table_.add(record);
      table_.edit(edit.id) = record;
      return;
    }
    case Edit::Cell::name:
      categories_.edit(edit.id).name = edit.to_text;
      return;
    case Edit::Cell::forward:
      categories_.edit(edit.id).forward = edit.to;
      return;
    case Edit::Cell::retired:
      categories_.edit(edit.id).retired = edit.to != 0;
      for (const PrototypeId p : categories_[edit.id].prototypes)
        table_.edit(p).retired = edit.to != 0;
      return;
    case Edit::Cell::owner: {
      if (edit.from != kNoId) std::erase(categories_.edit(edit.from).prototypes, edit.id);
      PrototypeRecord& record = table_.edit(edit.id);
      record.owner = edit.to;
      if (edit.to == kNoId) return;
      auto& owned = categories_.edit(edit.to).prototypes;
      owned.insert(std::lower_bound(owned.begin(), owned.end(), edit.id), edit.id);
      record.retired = categories_[edit.to].retired;
      return;
    }
    case Edit::Cell::reference:
      table_.edit(edit.id).promoted = edit.to != 0;
      if (edit.to != 0) {
        rows_[edit.id] = edit.row;
      } else {
        rows_.erase(edit.id);
      }
      return;
    case Edit::Cell::member:
      return;  // apply() computes the sums anew
    case Edit::Cell::verified:
      return;  // no decision depends on it
  }
}

Result<double> MethodBase::cosine(PrototypeId prototype, std::span<const double> embedding) const {
  PACO_ASSIGN(const std::vector<float> unit, space_->apply(embedding));
  const std::size_t d = unit.size();
  const PrototypeRecord& record = table_[prototype];
  if (record.reference()) return math::dot(direction(prototype).data(), unit.data(), d);
  const double length = resultant(prototype);
  return length > 0 ? math::dot(sum(prototype).data(), unit.data(), d) / length : 0.0;
}

std::vector<float> MethodBase::direction(PrototypeId prototype) const {
  if (prototype < 0 || prototype >= next_prototype()) return {};
  const PrototypeRecord& record = table_[prototype];
  if (record.promoted) return row(prototype);
  if (record.support) {
    const auto own = references_[static_cast<std::size_t>(prototype)];
    return {own.begin(), own.end()};
  }
  if (!record.exists || record.members == 0) return {};
  const double length = resultant(prototype);
  std::vector<float> out;
  if (!(length > 0)) return out;
  for (const double x : sum(prototype)) out.push_back(static_cast<float>(x / length));
  return out;
}

PrototypeRole MethodBase::role(PrototypeId prototype) const {
  if (prototype < 0 || prototype >= next_prototype()) return {};
  const PrototypeRecord& r = table_[prototype];
  return {r.owner, r.exists, r.support, r.promoted, r.competing(), r.members, r.counted};
}

std::vector<float> MethodBase::reference_row(PrototypeId prototype) const {
  return table_[prototype].promoted ? row(prototype) : std::vector<float>();
}

}  // namespace paco::methods
