// The engine between two blocks: states, and operations from outside.
#include <algorithm>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/mirror/engine.hpp"

namespace paco::methods {
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
  state.reference_competing = reference_competing_;
  state.reference_counted = reference_counted_;
  state.moved = moved_;
  state.prototypes = memory_.prototypes();
  const std::size_t kept = stored_.kept(samples_), d = model_->dimension();
  for (std::uint64_t t = samples_ - kept; t < samples_; ++t) {
    state.stored.insert(state.stored.end(), stored_.embedding(t), stored_.embedding(t) + d);
    state.stored_prototype.push_back(stored_.entry(t).prototype);
    state.stored_counted.push_back(stored_.entry(t).counted ? 1 : 0);
  }
  return state;
}

Result<void> MirrorEngine::restore(const MirrorState& state) {
  PACO_TRY(check_mirror_state(state, *model_, "state"));
  const std::int64_t most = std::max(next_prototype_, state.next_prototype);
  for (std::int64_t number = 0; number < most; ++number) changed_.note(number);
  samples_ = state.samples;
  cursor_ = state.cursor;
  confident_ = state.confident;
  next_prototype_ = state.next_prototype;
  next_category_ = state.next_category;
  answered_ = state.answered;
  classes_answered_ =
      static_cast<std::size_t>(std::count(answered_.begin(), answered_.end(), std::uint8_t{1}));
  reference_categories_ = state.reference_categories;
  reference_competing_ = state.reference_competing;
  reference_counted_ = state.reference_counted;
  moved_ = state.moved;
  memory_ = MirrorMemory(model_->dimension(), BlockTable::kMostRows, changed_);
  memory_.change_format(references_.format());
  for (const MirrorPrototype& prototype : state.prototypes) memory_.restore(prototype);
  follow_references(references_.format());
  const std::size_t kept = state.stored_prototype.size(), d = model_->dimension();
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint64_t sequence = samples_ - kept + i;
    stored_.put(sequence, {state.stored.data() + i * d, d});
    stored_.entry(sequence).prototype = state.stored_prototype[i];
    stored_.entry(sequence).counted = state.stored_counted[i] != 0;
  }
  return {};
}

bool MirrorEngine::exists(std::int64_t number) const {
  return number >= 0 && (is_support(number) || memory_.slot_of(number));
}

bool MirrorEngine::is_fixed(std::int64_t number) const {
  if (is_support(number)) return true;
  const auto slot = memory_.slot_of(number);
  return slot && memory_.fixed(*slot);
}

void MirrorEngine::count(std::int64_t number, std::int64_t more) {
  if (is_support(number)) {
    reference_counted_[static_cast<std::size_t>(number)] += more;
    changed_.note(number);
  } else if (const auto slot = memory_.slot_of(number)) {
    memory_.count(*slot, more);
  }
}

void MirrorEngine::follow_references(math::PrefilterFormat format) {
  fixed_numbers_.clear();
  fixed_out_.clear();
  for (std::size_t k = 0; k < model_->known(); ++k) {
    fixed_numbers_.push_back(static_cast<std::int64_t>(k));
    fixed_out_.push_back(reference_competing_[k] != 0 ? 0.0f : kOut);
  }
  const std::vector<std::size_t> promoted = memory_.fixed_slots();
  fixed_rows_ = {};
  if (!promoted.empty()) {
    const math::Matrix<float>& support = model_->references;
    fixed_rows_ = math::Matrix<float>(support.rows() + promoted.size(), support.columns());
    std::copy_n(support.data(), support.rows() * support.columns(), fixed_rows_.data());
  }
  for (const std::size_t slot : promoted) {
    const std::vector<float>& row = memory_.row(slot);
    std::copy(row.begin(), row.end(), fixed_rows_[fixed_numbers_.size()].begin());
    fixed_numbers_.push_back(memory_.number(slot));
    fixed_out_.push_back(memory_.competing(slot) ? 0.0f : kOut);
  }
  references_ = math::Prefilter(fixed_rows(), format);
  ++references_version_;
}

std::optional<MirrorDecider::Facts> MirrorEngine::facts(std::int64_t prototype) const {
  if (!exists(prototype)) return std::nullopt;
  if (is_support(prototype)) {
    const auto k = static_cast<std::size_t>(prototype);
    return Facts{reference_categories_[k],     0,    reference_counted_[k],
                 reference_competing_[k] != 0, true, 0};
  }
  const std::size_t slot = *memory_.slot_of(prototype);
  return Facts{memory_.category(slot),  memory_.members(slot), memory_.counted(slot),
               memory_.competing(slot), memory_.fixed(slot),   memory_.length(slot)};
}

double MirrorEngine::cosine(std::int64_t prototype, std::span<const float> v) const {
  if (is_support(prototype))
    return math::dot(model_->references[static_cast<std::size_t>(prototype)].data(), v.data(),
                     v.size());
  const std::size_t slot = *memory_.slot_of(prototype);
  return memory_.fixed(slot) ? math::dot(memory_.row(slot).data(), v.data(), v.size())
                             : memory_.cosine(slot, v.data());
}

std::vector<float> MirrorEngine::direction(std::int64_t prototype) const {
  if (is_support(prototype)) return row(prototype);
  const std::size_t slot = *memory_.slot_of(prototype);
  const double length = memory_.length(slot);
  std::vector<float> out;
  for (const double x : memory_.prototype(slot).sum)
    out.push_back(length > 0 ? static_cast<float>(x / length) : 0.0f);
  return out;
}

std::vector<float> MirrorEngine::row(std::int64_t prototype) const {
  if (!is_fixed(prototype)) return {};
  if (!is_support(prototype)) return memory_.row(*memory_.slot_of(prototype));
  const auto row = model_->references[static_cast<std::size_t>(prototype)];
  return {row.begin(), row.end()};
}

std::optional<MirrorPlace> MirrorEngine::place(std::uint64_t sequence) const {
  if (const MirrorMoved* moved = find_moved(moved_, sequence)) return moved->place;
  if (!stored_.keeps(sequence, samples_)) return std::nullopt;
  const Stored::Entry& entry = stored_.entry(sequence);
  return MirrorPlace{entry.prototype, entry.counted};
}

Result<void> MirrorEngine::set_competing(std::int64_t prototype, bool competing) {
  if (!exists(prototype)) return no_such_prototype(prototype);
  if (is_support(prototype)) {
    reference_competing_[static_cast<std::size_t>(prototype)] = competing ? 1 : 0;
    changed_.note(prototype);
  } else {
    memory_.set_competing(*memory_.slot_of(prototype), competing);
  }
  if (is_fixed(prototype)) follow_references(references_.format());
  return {};
}

Result<void> MirrorEngine::set_category(std::int64_t prototype, std::int64_t category) {
  if (!exists(prototype)) return no_such_prototype(prototype);
  PACO_TRY(check_category(category, next_category_));
  reserve(next_prototype_, category + 1);
  if (is_support(prototype)) {
    reference_categories_[static_cast<std::size_t>(prototype)] = category;
    changed_.note(prototype);
  } else {
    memory_.set_category(*memory_.slot_of(prototype), category);
  }
  return {};
}

Result<void> MirrorEngine::move(std::uint64_t sequence, std::span<const float> v,
                                const MirrorPlace& from, const MirrorPlace& to, const Home& home) {
  PACO_TRY(check_move(sequence, v.size(), to, *model_, samples_, next_prototype_));
  if (from == to) return {};
  if (from.counted) {
    count(from.prototype, -1);
  } else if (const auto slot = memory_.slot_of(from.prototype)) {
    memory_.leave(*slot, v.data(), 0);
  }
  if (to.counted) {
    count(to.prototype, 1);
  } else if (const auto slot = memory_.slot_of(to.prototype)) {
    memory_.join(*slot, v.data(), 0);
  } else {
    memory_.restore({to.prototype, home.category, 1, home.competing, {v.begin(), v.end()}, 0, {}});
  }
  note_move(moved_, sequence, from, to);
  if (!stored_.keeps(sequence, samples_)) return {};
  Stored::Entry& entry = stored_.entry(sequence);
  entry.prototype = to.prototype;
  entry.counted = to.counted && exists(to.prototype);
  return {};
}

Result<void> MirrorEngine::fix(std::int64_t prototype, std::span<const float> row,
                               const Home& home) {
  if (prototype < known_ || prototype >= next_prototype_) return no_such_prototype(prototype);
  const auto slot = memory_.slot_of(prototype);
  if ((slot ? memory_.category(*slot) : home.category) == kNoCategory)
    return still_a_candidate(prototype);
  if (slot) {
    memory_.fix(*slot, row);
  } else {
    memory_.restore({prototype,
                     home.category,
                     0,
                     home.competing,
                     std::vector<double>(row.size(), 0.0),
                     0,
                     {row.begin(), row.end()}});
  }
  follow_references(references_.format());
  return {};
}

Result<void> MirrorEngine::loosen(std::int64_t prototype) {
  if (is_support(prototype) || !is_fixed(prototype)) return no_such_prototype(prototype);
  memory_.loosen(*memory_.slot_of(prototype));
  follow_references(references_.format());
  return {};
}

void MirrorEngine::reserve(std::int64_t next_prototype, std::int64_t next_category) {
  next_prototype_ = std::max(next_prototype_, next_prototype);
  next_category_ = std::max(next_category_, next_category);
}

}  // namespace paco::methods
