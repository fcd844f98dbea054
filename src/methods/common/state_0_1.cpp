#include "methods/common/state_0_1.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/try.hpp"

namespace paco::methods {

Result<State> state_of_0_1(const io::SafetensorsFile& file, const Method& method) {
  const Model& model = method.model();
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", file.name(), what),
                 "the file is damaged; use an earlier state"};
  };
  PACO_ASSIGN(const auto counters, file.read<std::int64_t>("counters"));
  PACO_ASSIGN(const auto lowest, file.read<double>("lowest_tau_birth"));
  PACO_ASSIGN(const auto class_sizes, file.read<std::int64_t>("class_sizes"));
  PACO_ASSIGN(const auto sizes, file.read<std::int64_t>("category_sizes"));
  PACO_ASSIGN(const auto births, file.read<std::int64_t>("category_births"));
  PACO_ASSIGN(auto sums, file.read<double>("category_sums"));
  constexpr std::size_t kCounters = 1 + 4 + 3;  // samples, branches, routes
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  const std::size_t n = sizes.size();
  if (counters.size() != kCounters || lowest.size() != 1 || births.size() != n ||
      class_sizes.size() != model.known_classes() || sums.size() != n * model.dimension) {
    return damaged("its tensors do not fit together");
  }
  const std::int64_t samples = counters[0];
  if (samples < 0 || samples > kMost) return damaged("it counts an impossible number of samples");
  if (!std::isfinite(lowest[0])) return damaged("its lowest boundary is not finite");

  State state;
  state.samples = static_cast<std::uint64_t>(samples);
  state.prototypes = PrototypeTable(model);
  state.categories = Categories(model.class_names);
  std::int64_t decided = 0;
  for (std::size_t k = 0; k < class_sizes.size(); ++k) {
    const auto id = static_cast<PrototypeId>(k);
    const std::int64_t grown = class_sizes[k] - model.class_sizes[k];
    if (grown < 0 || grown > samples)
      return damaged(fmt::format("class {} has an impossible size", k));
    state.prototypes.edit(id).counted = grown;
    state.categories.edit(id).answered = static_cast<std::uint64_t>(grown);
    decided += grown;
  }
  std::int64_t earliest = 0;
  for (std::size_t c = 0; c < n; ++c) {
    if (sizes[c] < 1 || sizes[c] > samples || births[c] < earliest || births[c] >= samples)
      return damaged(fmt::format("category {} has an impossible size or birth", c));
    earliest = births[c] + 1;
    decided += sizes[c];
    PrototypeRecord record;
    record.members = sizes[c];
    record.birth = static_cast<std::uint64_t>(births[c]);
    record.owner = state.categories.next();
    const PrototypeId p = state.prototypes.add(record);
    state.categories.edit(state.categories.open(p, record.birth)).answered =
        static_cast<std::uint64_t>(sizes[c]);
  }
  if (decided != samples)
    return damaged(fmt::format("it counts {} samples but holds {}", samples, decided));
  state.prototypes.recount();
  state.own.tensors["sums"] = {{n, model.dimension}, std::move(sums)};
  if (method.info().section == "paco") {
    state.own.numbers["lowest_tau_birth"] = lowest[0];
    state.own.tensors["branches"] = {{4}, std::vector(counters.begin() + 1, counters.begin() + 5)};
    state.own.tensors["routes"] = {{3}, std::vector(counters.begin() + 5, counters.end())};
  }
  return state;
}

}  // namespace paco::methods
