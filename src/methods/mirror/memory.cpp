#include "methods/mirror/memory.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "math/kernels.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {

MirrorMemory::MirrorMemory(std::size_t dimension, std::size_t roundings,
                           ChangedNumbers& changed_numbers)
    : dimension_(dimension),
      roundings_(roundings),
      changed_numbers_(&changed_numbers),
      copies_(dimension, math::best_screen_format(dimension)),
      rounding_error_(copies_.rounding_error(roundings)) {}

std::optional<std::size_t> MirrorMemory::slot_of(std::int64_t number) const {
  const auto found = slot_of_.find(number);
  return found == slot_of_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t MirrorMemory::take_slot() {
  if (!free_.empty()) {
    const std::size_t slot = free_.back();
    free_.pop_back();
    std::fill_n(sums_.data() + slot * dimension_, dimension_, 0.0);
    return slot;
  }
  const std::size_t slot = slots();
  sums_.resize((slot + 1) * dimension_);
  for (auto* numbers : {&numbers_, &categories_, &sizes_, &counted_}) numbers->push_back(0);
  for (auto* flags : {&competing_, &fixed_, &stale_}) flags->push_back(0);
  squares_.push_back(0);
  for (auto* floats : {&lost_, &reach_, &scales_, &errors_, &visible_, &hidden_, &all_})
    floats->push_back(0);
  return slot;
}

std::size_t MirrorMemory::create(std::int64_t number, std::int64_t category, const float* v,
                                 float sample_error) {
  const std::size_t slot = take_slot();
  numbers_[slot] = number;
  categories_[slot] = category;
  sizes_[slot] = counted_[slot] = 0;
  competing_[slot] = 1;
  fixed_[slot] = 0;
  lost_[slot] = 0;
  reach_[slot] = 0;
  slot_of_[number] = slot;
  if (category == kNoCategory) {
    ++candidates_;
    waiting_.push_back(number);
    if (waiting_.size() > 2 * candidates_ + 64) forget_those_gone();
  }
  join(slot, v, sample_error);
  return slot;
}

void MirrorMemory::join(std::size_t slot, const float* v, float sample_error) {
  if (++sizes_[slot] == 1) set_groups(slot);
  changed(slot, math::accumulate(sums_.data() + slot * dimension_, v, dimension_), sample_error);
}

bool MirrorMemory::leave(std::size_t slot, const float* v, float sample_error) {
  if (--sizes_[slot] == 0) {
    if (!lives(slot)) {
      remove(slot);
      return true;
    }
    set_groups(slot);
  }
  negated_.resize(dimension_);
  for (std::size_t j = 0; j < dimension_; ++j) negated_[j] = -v[j];
  changed(slot, math::accumulate(sums_.data() + slot * dimension_, negated_.data(), dimension_),
          sample_error);
  return false;
}

void MirrorMemory::changed(std::size_t slot, double squared, float sample_error) {
  note(slot);
  squares_[slot] = squared;
  if (stale_[slot] == 0) to_copy_.push_back(slot);
  stale_[slot] = 1;
  lost_[slot] += sample_error;
  reach_[slot] += 1;
  bound_error(slot);
}

void MirrorMemory::remove(std::size_t slot) {
  note(slot);
  if (categories_[slot] == kNoCategory) --candidates_;
  sizes_[slot] = counted_[slot] = 0;
  if (fixed(slot)) rows_.erase(numbers_[slot]);
  fixed_[slot] = 0;
  slot_of_.erase(numbers_[slot]);
  free_.push_back(slot);
  set_groups(slot);
}

void MirrorMemory::set_category(std::size_t slot, std::int64_t category) {
  assert(category != kNoCategory);
  if (categories_[slot] == kNoCategory) --candidates_;
  categories_[slot] = category;
  note(slot);
  set_groups(slot);
}

void MirrorMemory::set_competing(std::size_t slot, bool competing) {
  competing_[slot] = competing ? 1 : 0;
  note(slot);
  set_groups(slot);
}

void MirrorMemory::count(std::size_t slot, std::int64_t more) {
  counted_[slot] += more;
  note(slot);
  if (!lives(slot)) remove(slot);
}

void MirrorMemory::fix(std::size_t slot, std::span<const float> row) {
  rows_[numbers_[slot]].assign(row.begin(), row.end());
  fixed_[slot] = 1;
  note(slot);
  set_groups(slot);
}

void MirrorMemory::loosen(std::size_t slot) {
  rows_.erase(numbers_[slot]);
  fixed_[slot] = 0;
  note(slot);
  if (lives(slot)) return set_groups(slot);
  remove(slot);
}

std::vector<std::size_t> MirrorMemory::fixed_slots() const {
  std::vector<std::size_t> out;
  for (const auto& [number, row] : rows_) out.push_back(slot_of_.at(number));
  std::sort(out.begin(), out.end(),
            [&](std::size_t a, std::size_t b) { return numbers_[a] < numbers_[b]; });
  return out;
}

void MirrorMemory::forget_those_gone() {
  std::erase_if(waiting_, [&](std::int64_t number) {
    const auto slot = slot_of(number);
    return !slot || categories_[*slot] != kNoCategory;
  });
}

void MirrorMemory::drop_oldest_candidate() {
  while (!waiting_.empty()) {
    const auto slot = slot_of(waiting_.front());
    waiting_.pop_front();
    if (!slot || categories_[*slot] != kNoCategory) continue;
    return remove(*slot);
  }
}

MirrorPrototype MirrorMemory::prototype(std::size_t slot) const {
  const double* sum = sums_.data() + slot * dimension_;
  return {numbers_[slot],
          categories_[slot],
          sizes_[slot],
          competing(slot),
          std::vector<double>(sum, sum + dimension_),
          counted_[slot],
          fixed(slot) ? row(slot) : std::vector<float>()};
}

void MirrorMemory::restore(const MirrorPrototype& prototype) {
  if (const auto old = slot_of(prototype.number)) remove(*old);
  const std::vector<float> zeros(dimension_, 0.0f);
  const std::size_t slot = create(prototype.number, prototype.category, zeros.data(), 0);
  if (prototype.category == kNoCategory)
    std::sort(waiting_.begin(), waiting_.end());  // an operation may bring an older one back
  std::copy(prototype.sum.begin(), prototype.sum.end(), sums_.data() + slot * dimension_);
  sizes_[slot] = prototype.members;
  counted_[slot] = prototype.counted;
  competing_[slot] = prototype.competing ? 1 : 0;
  reach_[slot] = static_cast<float>(prototype.members);
  const double* sum = sums_.data() + slot * dimension_;
  changed(slot, math::dot(sum, sum, dimension_), 0);
  set_groups(slot);
  if (prototype.fixed()) fix(slot, prototype.row);
}

std::vector<MirrorPrototype> MirrorMemory::prototypes() const {
  std::vector<std::size_t> order;
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    if (lives(slot)) order.push_back(slot);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers_[a] < numbers_[b]; });
  std::vector<MirrorPrototype> out;
  for (const std::size_t slot : order) out.push_back(prototype(slot));
  return out;
}

double MirrorMemory::cosine(std::size_t slot, const float* v) const {
  const double length = std::sqrt(squares_[slot]);
  return length > 0 ? math::dot(sums_.data() + slot * dimension_, v, dimension_) / length : 0.0;
}

double MirrorMemory::cosine_without(std::size_t slot, const float* v) const {
  return methods::cosine_without(math::dot(sums_.data() + slot * dimension_, v, dimension_),
                                 squares_[slot], math::dot(v, v, dimension_));
}

void MirrorMemory::update_copies() {
  for (const std::size_t slot : to_copy_) {
    copies_.set(slot, sums_.data() + slot * dimension_);
    stale_[slot] = 0;
    lost_[slot] = copies_.error(slot);
    reach_[slot] = static_cast<float>(sizes_[slot]);
    bound_error(slot);
  }
  to_copy_.clear();
}

void MirrorMemory::change_format(math::PrefilterFormat format) {
  copies_ = math::Prefilter(dimension_, format);
  rounding_error_ = copies_.rounding_error(roundings_);
  std::fill(stale_.begin(), stale_.end(), std::uint8_t{1});
  to_copy_.resize(slots());
  std::iota(to_copy_.begin(), to_copy_.end(), std::size_t{0});
}

// As for PrototypeSet (sphere/prototypes.cpp): where the bound says nothing the screened cosine is
// 0 and any true one is possible; a sum of length zero has cosine 0 by definition.
void MirrorMemory::bound_error(std::size_t slot) {
  const double length = std::sqrt(squares_[slot]);
  const auto lost = static_cast<double>(lost_[slot]);
  const double error = lost + rounding_error_ * (static_cast<double>(reach_[slot]) + lost);
  const double bound = length > 0 ? error / length * 1.001 : 0.0;
  constexpr double kAnyCosine = 1.01;
  const bool useful = length > 0 && bound < kAnyCosine;
  scales_[slot] = useful ? static_cast<float>(1 / length) : 0.0f;
  errors_[slot] = static_cast<float>(std::min(bound, kAnyCosine));
}

bool MirrorMemory::in_group(std::size_t slot, Group group) const {
  if (sizes_[slot] == 0 || !competing(slot) || fixed(slot)) return false;
  const bool hidden = categories_[slot] == kNoCategory;
  return group == Group::all || hidden == (group == Group::hidden);
}

void MirrorMemory::set_groups(std::size_t slot) {
  visible_[slot] = in_group(slot, Group::visible) ? 0.0f : kOut;
  hidden_[slot] = in_group(slot, Group::hidden) ? 0.0f : kOut;
  all_[slot] = in_group(slot, Group::all) ? 0.0f : kOut;
}

math::PrefilterScores MirrorMemory::screened(const math::PrefilterRow& row, Group group) const {
  math::PrefilterScores scores;
  scores.products = row.products;
  scores.count = slots();
  scores.scale = scales_.data();
  scores.offset = (group == Group::visible  ? visible_
                   : group == Group::hidden ? hidden_
                                            : all_)
                      .data();
  scores.cosine_error = errors_.data();
  scores.stretch = 1 + row.error;
  scores.constant_error = row.error;
  return scores;
}

}  // namespace paco::methods
