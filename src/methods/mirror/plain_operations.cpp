// The plain rule between two samples: states, and operations from outside.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/try.hpp"
#include "math/plain.hpp"
#include "methods/mirror/plain.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {

Result<void> MirrorPlain::restore(const MirrorState& state) {
  PACO_TRY(check_mirror_state(state, *model_, "state"));
  state_ = state;
  return {};
}

bool MirrorPlain::is_support(std::int64_t number) const {
  return number < static_cast<std::int64_t>(model_->known());
}

const MirrorPrototype* MirrorPlain::find(std::int64_t number) const {
  for (const MirrorPrototype& p : state_.prototypes) {
    if (p.number == number) return &p;
  }
  return nullptr;
}

MirrorPrototype* MirrorPlain::find(std::int64_t number) {
  return const_cast<MirrorPrototype*>(std::as_const(*this).find(number));
}

MirrorPrototype& MirrorPlain::insert(MirrorPrototype prototype) {
  const auto later =
      std::find_if(state_.prototypes.begin(), state_.prototypes.end(),
                   [&](const MirrorPrototype& p) { return p.number > prototype.number; });
  return *state_.prototypes.insert(later, std::move(prototype));
}

void MirrorPlain::forget_if_gone(std::int64_t number) {
  std::erase_if(state_.prototypes,
                [&](const MirrorPrototype& p) { return p.number == number && !p.lives(); });
}

bool MirrorPlain::is_fixed(std::int64_t number) const {
  const MirrorPrototype* prototype = find(number);
  return is_support(number) || (prototype != nullptr && prototype->fixed());
}

std::int64_t MirrorPlain::category_of(std::int64_t number) const {
  return is_support(number) ? state_.reference_categories[static_cast<std::size_t>(number)]
                            : find(number)->category;
}

std::size_t MirrorPlain::candidates() const {
  return static_cast<std::size_t>(
      std::count_if(state_.prototypes.begin(), state_.prototypes.end(),
                    [](const MirrorPrototype& p) { return p.category == kNoCategory; }));
}

void MirrorPlain::count(std::int64_t number, std::int64_t more) {
  if (is_support(number)) {
    state_.reference_counted[static_cast<std::size_t>(number)] += more;
  } else if (MirrorPrototype* prototype = find(number)) {
    prototype->counted += more;
    forget_if_gone(number);
  }
}

std::optional<MirrorDecider::Facts> MirrorPlain::facts(std::int64_t prototype) const {
  if (prototype < 0) return std::nullopt;
  if (is_support(prototype)) {
    const auto k = static_cast<std::size_t>(prototype);
    return Facts{category_of(prototype),
                 0,
                 state_.reference_counted[k],
                 state_.reference_competing[k] != 0,
                 true,
                 0};
  }
  const MirrorPrototype* p = find(prototype);
  if (p == nullptr) return std::nullopt;
  const double length = std::sqrt(math::plain::dot(p->sum.data(), p->sum.data(), p->sum.size()));
  return Facts{p->category, p->members, p->counted, p->competing, p->fixed(), length};
}

// It does not keep track.
std::vector<std::int64_t> MirrorPlain::take_changed() {
  std::vector<std::int64_t> all(static_cast<std::size_t>(state_.next_prototype));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

double MirrorPlain::cosine(std::int64_t prototype, std::span<const float> v) const {
  if (is_fixed(prototype)) return math::plain::dot(row(prototype).data(), v.data(), v.size());
  const double* sum = find(prototype)->sum.data();
  const double length = std::sqrt(math::plain::dot(sum, sum, v.size()));
  return length > 0 ? math::plain::dot(sum, v.data(), v.size()) / length : 0.0;
}

std::vector<float> MirrorPlain::direction(std::int64_t prototype) const {
  if (is_support(prototype)) return row(prototype);
  const std::vector<double>& sum = find(prototype)->sum;
  const double length = std::sqrt(math::plain::dot(sum.data(), sum.data(), sum.size()));
  std::vector<float> out;
  for (const double x : sum) out.push_back(length > 0 ? static_cast<float>(x / length) : 0.0f);
  return out;
}

std::vector<float> MirrorPlain::row(std::int64_t prototype) const {
  if (!is_support(prototype))
    return is_fixed(prototype) ? find(prototype)->row : std::vector<float>();
  const auto row = model_->references[static_cast<std::size_t>(prototype)];
  return {row.begin(), row.end()};
}

std::optional<MirrorPlace> MirrorPlain::place(std::uint64_t sequence) const {
  if (const MirrorMoved* moved = find_moved(state_.moved, sequence)) return moved->place;
  const std::uint64_t oldest = state_.samples - state_.stored_prototype.size();
  if (sequence < oldest || sequence >= state_.samples) return std::nullopt;
  const auto at = static_cast<std::size_t>(sequence - oldest);
  return MirrorPlace{state_.stored_prototype[at], state_.stored_counted[at] != 0};
}

Result<void> MirrorPlain::set_competing(std::int64_t prototype, bool competing) {
  if (!facts(prototype)) return no_such_prototype(prototype);
  if (is_support(prototype)) {
    state_.reference_competing[static_cast<std::size_t>(prototype)] = competing ? 1 : 0;
  } else {
    find(prototype)->competing = competing;
  }
  return {};
}

Result<void> MirrorPlain::set_category(std::int64_t prototype, std::int64_t category) {
  if (!facts(prototype)) return no_such_prototype(prototype);
  PACO_TRY(check_category(category, state_.next_category));
  reserve(state_.next_prototype, category + 1);
  if (is_support(prototype)) {
    state_.reference_categories[static_cast<std::size_t>(prototype)] = category;
  } else {
    find(prototype)->category = category;
  }
  return {};
}

Result<void> MirrorPlain::move(std::uint64_t sequence, std::span<const float> v,
                               const MirrorPlace& from, const MirrorPlace& to, const Home& home) {
  PACO_TRY(check_move(sequence, v.size(), to, *model_, state_.samples, state_.next_prototype));
  if (from == to) return {};
  if (from.counted) {
    count(from.prototype, -1);
  } else {
    leave(from.prototype, v);
  }
  if (to.counted) {
    count(to.prototype, 1);
  } else {
    MirrorPrototype* prototype = find(to.prototype);
    if (prototype == nullptr) {
      prototype = &insert({to.prototype,
                           home.category,
                           0,
                           home.competing,
                           std::vector<double>(v.size(), 0.0),
                           0,
                           {}});
    }
    for (std::size_t j = 0; j < v.size(); ++j) prototype->sum[j] += static_cast<double>(v[j]);
    ++prototype->members;
  }
  note_move(state_.moved, sequence, from, to);
  const std::uint64_t oldest = state_.samples - state_.stored_prototype.size();
  if (sequence < oldest) return {};
  const auto at = static_cast<std::size_t>(sequence - oldest);
  state_.stored_prototype[at] = to.prototype;
  state_.stored_counted[at] = to.counted && facts(to.prototype) ? 1 : 0;
  return {};
}

Result<void> MirrorPlain::fix(std::int64_t prototype, std::span<const float> row,
                              const Home& home) {
  if (is_support(prototype) || prototype >= state_.next_prototype)
    return no_such_prototype(prototype);
  MirrorPrototype* found = find(prototype);
  if ((found != nullptr ? found->category : home.category) == kNoCategory)
    return still_a_candidate(prototype);
  if (found == nullptr) {
    found = &insert(
        {prototype, home.category, 0, home.competing, std::vector<double>(row.size(), 0.0), 0, {}});
  }
  found->row.assign(row.begin(), row.end());
  return {};
}

Result<void> MirrorPlain::loosen(std::int64_t prototype) {
  if (is_support(prototype) || !is_fixed(prototype)) return no_such_prototype(prototype);
  find(prototype)->row.clear();
  forget_if_gone(prototype);
  return {};
}

void MirrorPlain::reserve(std::int64_t next_prototype, std::int64_t next_category) {
  state_.next_prototype = std::max(state_.next_prototype, next_prototype);
  state_.next_category = std::max(state_.next_category, next_category);
}

}  // namespace paco::methods
