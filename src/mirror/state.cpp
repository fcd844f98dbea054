#include "mirror/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mirror/rule.hpp"

namespace paco {

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
      state.reference_competing.size() != known)
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
    if (p.members < 1 || p.members > most || p.sum.size() != d ||
        (p.category != kNoCategory && !is_category(p.category)))
      return damaged(fmt::format("prototype {} has an impossible size or category", p.number));
    for (const double x : p.sum) {
      if (!std::isfinite(x))
        return damaged(fmt::format("the sum of prototype {} is not finite", p.number));
    }
  }
  const std::size_t stored =
      model.options.rehearse == 0
          ? 0
          : std::min<std::size_t>(state.samples, static_cast<std::size_t>(model.options.buffer));
  if (state.stored_prototype.size() != stored || state.stored.size() != stored * d)
    return damaged(fmt::format("it stores {} samples, {} are expected",
                               state.stored_prototype.size(), stored));
  for (const float x : state.stored) {
    if (!(std::abs(x) <= 1.001f)) return damaged("a stored sample is not on the unit sphere");
  }
  for (const std::int64_t number : state.stored_prototype) {
    if (number < 0 || number >= state.next_prototype)
      return damaged(fmt::format("a stored sample is filed under prototype {}", number));
  }
  return {};
}

}  // namespace paco
