// What operations change in a method: edits, one cell at a time, and the sums of prototypes whose
// members have changed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/method_base.hpp"
#include "methods/common/standardise.hpp"

namespace paco::methods {

// A prototype after samples have come or gone.
struct MethodBase::Regrouped {
  PrototypeId prototype = 0;
  std::int64_t members = 0, counted = 0;
  std::vector<double> sum;  // empty for a support class
};

// The sums of all prototypes that lose or gain a member, from the embeddings of those that are left
// and in stream order: the order in which they would have been added, had they always been there.
Result<std::vector<MethodBase::Regrouped>> MethodBase::regroup(std::span<const Edit> edits,
                                                               MemberSource* members) const {
  using Member = MemberSource::Member;
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
  const std::size_t d = model_->dimension;
  std::vector<float> unit(d);
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
    if (!support) {
      std::vector<Member> present;
      if (!is_new) {
        PACO_ASSIGN(present, members->members(prototype));
      }
      std::sort(gone.begin(), gone.end());
      for (const Member& member : present) {
        if (member.counted) continue;
        if (!std::binary_search(gone.begin(), gone.end(), member.sequence))
          here.push_back(member.sequence);
      }
      std::sort(here.begin(), here.end());
      group.sum.assign(d, 0.0);
      for (const std::uint64_t sequence : here) {
        PACO_ASSIGN(const std::vector<double> raw, members->embedding(sequence));
        if (raw.size() != d ||
            standardise_row(raw, model_->mean, model_->deviation, unit) != RowFault::none) {
          return Error{ErrorCode::bad_value,
                       fmt::format("the embedding of sample {} cannot be placed", sequence),
                       "verify the journal"};
        }
        math::accumulate(group.sum.data(), unit.data(), d);
      }
      if (static_cast<std::int64_t>(here.size()) != group.members) {
        return Error{ErrorCode::mismatch,
                     fmt::format("prototype {} should have {} members, the journal has {}",
                                 prototype, group.members, here.size()),
                     "verify the journal"};
      }
    }
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
    record.members = group.members;
    record.counted = group.counted;
    if (!group.sum.empty()) sums.push_back({group.prototype, std::move(group.sum)});
  }
  table_.recount();
  recount_categories();
  edited(std::move(sums));
  return {};
}

void MethodBase::apply(const Edit& edit) {
  switch (edit.cell) {
    case Edit::Cell::category:
      // What is gone keeps nothing, so that a state without it is the same.
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
      return;  // the sums are made anew
  }
}

Result<double> MethodBase::cosine(PrototypeId prototype, std::span<const double> embedding) const {
  const std::size_t d = model_->dimension;
  std::vector<float> unit(d);
  if (const auto fault = check(embedding)) return *fault;
  standardise_row(embedding, model_->mean, model_->deviation, unit);
  const PrototypeRecord& record = table_[prototype];
  if (record.support)
    return math::dot(model_->references.data() + static_cast<std::size_t>(prototype) * d,
                     unit.data(), d);
  if (record.promoted) return math::dot(row(prototype).data(), unit.data(), d);
  const double length = resultant(prototype);
  return length > 0 ? math::dot(sum(prototype).data(), unit.data(), d) / length : 0.0;
}

std::vector<float> MethodBase::direction(PrototypeId prototype) const {
  std::vector<double> values = sum(prototype);
  const double length = resultant(prototype);
  std::vector<float> out(values.size());
  for (std::size_t j = 0; j < values.size(); ++j)
    out[j] = length > 0 ? static_cast<float>(values[j] / length) : 0.0f;
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
