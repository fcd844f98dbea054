// The engine between two blocks: states, and operations from outside.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.hpp"
#include "mirror/engine.hpp"

namespace paco {
namespace {

constexpr float kOut = -8;

}  // namespace

MirrorState MirrorEngine::save() const {
  MirrorState state;
  state.samples = samples_;
  state.cursor = cursor_;
  state.confident = confident_;
  state.next_prototype = next_prototype_;
  state.next_category = next_category_;
  state.answered = answered_;
  state.reference_categories = reference_categories_;
  for (const float out : reference_out_) state.reference_competing.push_back(out == 0 ? 1 : 0);
  state.prototypes = memory_.prototypes();
  const std::size_t kept = stored_.kept(samples_), d = model_->dimension();
  for (std::uint64_t t = samples_ - kept; t < samples_; ++t) {
    state.stored.insert(state.stored.end(), stored_.embedding(t), stored_.embedding(t) + d);
    state.stored_prototype.push_back(stored_.entry(t).prototype);
  }
  return state;
}

Result<void> MirrorEngine::restore(const MirrorState& state) {
  PACO_TRY(check_mirror_state(state, *model_, "state"));
  samples_ = state.samples;
  cursor_ = state.cursor;
  confident_ = state.confident;
  next_prototype_ = state.next_prototype;
  next_category_ = state.next_category;
  answered_ = state.answered;
  classes_answered_ =
      static_cast<std::size_t>(std::count(answered_.begin(), answered_.end(), std::uint8_t{1}));
  reference_categories_ = state.reference_categories;
  for (std::size_t k = 0; k < reference_out_.size(); ++k)
    reference_out_[k] = state.reference_competing[k] != 0 ? 0.0f : kOut;
  ++references_version_;
  memory_ = MirrorMemory(model_->dimension(), BlockTable::kMostRows);
  memory_.change_format(references_.format());
  for (const MirrorPrototype& prototype : state.prototypes) memory_.restore(prototype);
  const std::size_t kept = state.stored_prototype.size(), d = model_->dimension();
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint64_t sequence = samples_ - kept + i;
    stored_.put(sequence, {state.stored.data() + i * d, d});
    stored_.entry(sequence).prototype = state.stored_prototype[i];
  }
  return {};
}

Result<void> MirrorEngine::check_number(std::int64_t prototype) const {
  if (prototype >= 0 && (is_reference(prototype) || memory_.slot_of(prototype))) return {};
  return Error{ErrorCode::not_found, fmt::format("there is no prototype {}", prototype),
               "it was never made, lost all its samples, or was a candidate that was dropped"};
}

Result<void> MirrorEngine::set_competing(std::int64_t prototype, bool competing) {
  PACO_TRY(check_number(prototype));
  if (!is_reference(prototype)) {
    memory_.set_competing(*memory_.slot_of(prototype), competing);
    return {};
  }
  reference_out_[static_cast<std::size_t>(prototype)] = competing ? 0.0f : kOut;
  ++references_version_;
  return {};
}

Result<void> MirrorEngine::set_category(std::int64_t prototype, std::int64_t category) {
  PACO_TRY(check_number(prototype));
  if (category < 0 || category > next_category_) {
    return Error{ErrorCode::bad_argument, fmt::format("there is no category {}", category),
                 fmt::format("categories are 0 to {}; {} makes a new one", next_category_ - 1,
                             next_category_)};
  }
  if (category == next_category_) ++next_category_;
  if (is_reference(prototype)) {
    reference_categories_[static_cast<std::size_t>(prototype)] = category;
  } else {
    memory_.set_category(*memory_.slot_of(prototype), category);
  }
  return {};
}

Result<void> MirrorEngine::move(std::uint64_t sequence, std::span<const float> v, std::int64_t from,
                                std::int64_t to, std::int64_t category) {
  if (v.size() != model_->dimension()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("the sample has {} values, the model expects {}", v.size(),
                             model_->dimension()),
                 "give its embedding as embed() returns it"};
  }
  if (sequence >= samples_) {
    return Error{ErrorCode::not_found, fmt::format("there is no sample {} yet", sequence),
                 fmt::format("{} samples have been decided", samples_)};
  }
  if (to != next_prototype_) PACO_TRY(check_number(to));
  if (to == next_prototype_ && (category < 0 || category > next_category_)) {
    return Error{ErrorCode::bad_argument, fmt::format("there is no category {}", category),
                 "a new prototype needs a category, an old one or the next"};
  }
  if (from == to) return {};
  // The prototype that it leaves may be gone already.
  if (from >= 0 && !is_reference(from)) {
    if (const auto slot = memory_.slot_of(from)) memory_.leave(*slot, v.data(), 0);
  }
  if (to == next_prototype_) {
    if (category == next_category_) ++next_category_;
    memory_.create(next_prototype_++, category, v.data(), 0);
  } else if (!is_reference(to)) {
    const std::size_t slot = *memory_.slot_of(to);
    memory_.join(slot, v.data(), 0);
    if (memory_.category(slot) == kNoCategory) memory_.set_category(slot, next_category_++);
  }
  return refile(sequence, to);
}

Result<void> MirrorEngine::refile(std::uint64_t sequence, std::int64_t prototype) {
  PACO_TRY(check_number(prototype));
  if (sequence < samples_ && sequence + stored_.kept(samples_) >= samples_)
    stored_.entry(sequence).prototype = prototype;
  return {};
}

Result<MirrorPrototype> MirrorEngine::prototype(std::int64_t number) const {
  if (const auto slot = memory_.slot_of(number)) return memory_.prototype(*slot);
  return Error{ErrorCode::not_found, fmt::format("there is no prototype {}", number),
               "references are not among them; the others may be gone"};
}

std::optional<MirrorEngine::Facts> MirrorEngine::facts(std::int64_t prototype) const {
  const auto slot = memory_.slot_of(prototype);
  if (!slot) return std::nullopt;
  return Facts{memory_.category(*slot), memory_.members(*slot), memory_.competing(*slot),
               memory_.length(*slot)};
}

Result<void> MirrorEngine::put_back(const MirrorPrototype& prototype) {
  if (prototype.number < known_ || prototype.number >= next_prototype_ || prototype.members < 1 ||
      prototype.sum.size() != model_->dimension() || prototype.category >= next_category_) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("prototype {} cannot be put back", prototype.number),
                 "give it as prototype() returned it"};
  }
  memory_.restore(prototype);
  return {};
}

Result<void> MirrorEngine::remove(std::int64_t prototype) {
  const auto slot = memory_.slot_of(prototype);
  if (!slot) return check_number(is_reference(prototype) ? kNoPrototype : prototype);
  memory_.remove(*slot);
  return {};
}

}  // namespace paco
