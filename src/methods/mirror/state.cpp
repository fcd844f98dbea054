#include "methods/mirror/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/mirror/decider.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {

Result<void> check_mirror_state(const MirrorState& state, const MirrorModel& model,
                                const std::string& what) {
  const auto damaged = [&](const std::string& why) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", what, why),
                 "the state is damaged or of another model; use an earlier one"};
  };
  constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 48;
  const std::size_t known = model.known(), d = model.dimension();
  if (state.samples > kMostSamples || state.confident > state.samples ||
      state.cursor > state.samples)
    return damaged("its counters are impossible");
  if (state.answered.size() != known || state.reference_categories.size() != known ||
      state.reference_competing.size() != known || state.reference_counted.size() != known)
    return damaged(fmt::format("it is not of {} known classes", known));
  const auto most = static_cast<std::int64_t>(known + state.samples);
  if (state.next_prototype < static_cast<std::int64_t>(known) ||
      state.next_category < static_cast<std::int64_t>(known))
    return damaged("its next numbers are those of known classes");
  const auto is_category = [&](std::int64_t category) {
    return category >= 0 && category < state.next_category;
  };
  if (!std::all_of(state.reference_categories.begin(), state.reference_categories.end(),
                   is_category))
    return damaged("a known class is answered with a category that does not exist");
  std::int64_t before = static_cast<std::int64_t>(known) - 1;
  for (const MirrorPrototype& p : state.prototypes) {
    if (p.number <= before || p.number >= state.next_prototype)
      return damaged(fmt::format("prototype {} is out of order", p.number));
    before = p.number;
    if (p.members < 0 || p.members > most || p.counted < 0 || p.counted > most || !p.lives() ||
        p.sum.size() != d || (p.fixed() && p.row.size() != d) ||
        (p.category != kNoCategory && !is_category(p.category)))
      return damaged(fmt::format("prototype {} has an impossible size or category", p.number));
    for (const double x : p.sum) {
      if (!std::isfinite(x))
        return damaged(fmt::format("the sum of prototype {} is not finite", p.number));
    }
    for (const float x : p.row) {
      if (!(std::abs(x) <= 1.001f))
        return damaged(fmt::format("the row of prototype {} is not of unit length", p.number));
    }
  }
  const std::size_t stored =
      model.options.rehearse == 0
          ? 0
          : std::min<std::size_t>(state.samples, static_cast<std::size_t>(model.options.buffer));
  if (state.stored_prototype.size() != stored || state.stored_counted.size() != stored ||
      state.stored.size() != stored * d)
    return damaged(fmt::format("it stores {} samples, {} are expected",
                               state.stored_prototype.size(), stored));
  for (const float x : state.stored) {
    if (!(std::abs(x) <= 1.001f)) return damaged("a stored sample is not on the unit sphere");
  }
  const auto is_prototype = [&](const MirrorPlace& place) {
    return place.prototype >= 0 && place.prototype < state.next_prototype;
  };
  for (const std::int64_t number : state.stored_prototype) {
    if (!is_prototype({number, false}))
      return damaged(fmt::format("a stored sample is filed under prototype {}", number));
  }
  for (std::size_t i = 0; i < state.moved.size(); ++i) {
    const MirrorMoved& m = state.moved[i];
    if (m.sequence >= state.samples || (i > 0 && m.sequence <= state.moved[i - 1].sequence) ||
        m.trail.empty() || !is_prototype(m.place) ||
        !std::all_of(m.trail.begin(), m.trail.end(), is_prototype))
      return damaged(fmt::format("the moves of sample {} are impossible", m.sequence));
  }
  return {};
}

namespace {

// Where a moved sample stands in the list, or would.
template <class List>
auto place_in(List& moved, std::uint64_t sequence) {
  return std::lower_bound(
      moved.begin(), moved.end(), sequence,
      [](const MirrorMoved& m, std::uint64_t wanted) { return m.sequence < wanted; });
}

}  // namespace

const MirrorMoved* find_moved(const std::vector<MirrorMoved>& moved, std::uint64_t sequence) {
  const auto at = place_in(moved, sequence);
  return at == moved.end() || at->sequence != sequence ? nullptr : &*at;
}

void note_move(std::vector<MirrorMoved>& moved, std::uint64_t sequence, const MirrorPlace& from,
               const MirrorPlace& to) {
  auto at = place_in(moved, sequence);
  if (at == moved.end() || at->sequence != sequence) at = moved.insert(at, {sequence, from, {}});
  at->place = to;
  if (at->trail.empty() || at->trail.back() != to) {
    at->trail.push_back(from);
    return;
  }
  at->trail.pop_back();
  if (at->trail.empty()) moved.erase(at);
}

Error no_such_prototype(std::int64_t prototype) {
  return {ErrorCode::not_found, fmt::format("there is no prototype {}", prototype),
          "it was never made, lost all its samples, or was a candidate that was dropped"};
}

Error still_a_candidate(std::int64_t prototype) {
  return {ErrorCode::bad_argument, fmt::format("prototype {} has no category yet", prototype),
          "only what answers can be fixed"};
}

Result<void> check_category(std::int64_t category, std::int64_t next_category) {
  if (category >= 0 && category <= next_category) return {};
  return Error{
      ErrorCode::bad_argument, fmt::format("there is no category {}", category),
      fmt::format("categories are 0 to {}; {} makes a new one", next_category - 1, next_category)};
}

Result<void> check_move(std::uint64_t sequence, std::size_t values, const MirrorPlace& to,
                        const MirrorModel& model, std::uint64_t samples,
                        std::int64_t next_prototype) {
  if (values != model.dimension()) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("the sample has {} values, the model expects {}", values, model.dimension()),
        "give its embedding as embed() returns it"};
  }
  if (sequence >= samples) {
    return Error{ErrorCode::not_found, fmt::format("there is no sample {} yet", sequence),
                 fmt::format("{} samples have been decided", samples)};
  }
  if (to.prototype < 0 || to.prototype >= next_prototype) return no_such_prototype(to.prototype);
  return {};
}

}  // namespace paco::methods
