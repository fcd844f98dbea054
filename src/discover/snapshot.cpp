#include "discover/snapshot.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/try.hpp"
#include "data/artifact.hpp"

namespace paco {
namespace {

constexpr const char* kKind = "state";
constexpr int kVersion = 1;
constexpr std::size_t kCounters = 1 + 4 + 3;  // samples, branches, routes

Result<void> check_consistency(const Snapshot& s, const Model& model, const std::string& path) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
                 "the file is damaged; use an earlier state"};
  };
  const std::size_t categories = s.sizes.size();
  if (s.class_sizes.size() != model.known_classes() || s.births.size() != categories ||
      s.sums.size() != categories * model.dimension) {
    return damaged("its tensors do not fit together");
  }
  // No count exceeds the samples decided, so none of the sums below can overflow.
  constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 48;
  const std::uint64_t samples = s.stats.samples;
  if (samples > kMostSamples) return damaged("it counts an impossible number of samples");
  std::uint64_t decided = 0;
  for (std::size_t k = 0; k < s.class_sizes.size(); ++k) {
    const auto grown = static_cast<std::uint64_t>(s.class_sizes[k]) -
                       static_cast<std::uint64_t>(model.class_sizes[k]);
    if (grown > samples) return damaged(fmt::format("class {} has an impossible size", k));
    decided += grown;
  }
  std::int64_t earliest = 0;
  for (std::size_t k = 0; k < categories; ++k) {
    if (s.sizes[k] < 1 || static_cast<std::uint64_t>(s.sizes[k]) > samples ||
        s.births[k] < earliest || static_cast<std::uint64_t>(s.births[k]) >= samples) {
      return damaged(fmt::format("category {} has an impossible size or birth", k));
    }
    earliest = s.births[k] + 1;
    decided += static_cast<std::uint64_t>(s.sizes[k]);
  }
  if (decided != samples)
    return damaged(fmt::format("it counts {} samples but holds {}", samples, decided));
  const auto adds_up = [&](const auto& counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : counts) sum += n <= samples ? n : kMostSamples;
    return sum == samples;
  };
  if (!adds_up(s.stats.branches) || !adds_up(s.stats.routes))
    return damaged("its counts of branches and routes do not add up");
  for (const double x : s.sums) {
    if (!std::isfinite(x)) return damaged("a category's sum is not finite");
  }
  if (!std::isfinite(s.stats.lowest_tau_birth)) return damaged("its lowest boundary is not finite");
  return {};
}

}  // namespace

Result<std::vector<std::byte>> snapshot_to_bytes(const Snapshot& s, std::size_t dimension) {
  std::vector<std::int64_t> counters{static_cast<std::int64_t>(s.stats.samples)};
  for (const std::uint64_t n : s.stats.branches) counters.push_back(static_cast<std::int64_t>(n));
  for (const std::uint64_t n : s.stats.routes) counters.push_back(static_cast<std::int64_t>(n));
  const std::vector<double> lowest{s.stats.lowest_tau_birth};
  const std::uint64_t categories = s.sizes.size();

  ArtifactWriter writer(kKind, kVersion);
  writer.set("method", s.method);
  writer.set("model", s.model);
  writer.add<std::int64_t>("counters", {kCounters}, counters);
  writer.add<double>("lowest_tau_birth", {1}, lowest);
  writer.add<std::int64_t>("class_sizes", {s.class_sizes.size()}, s.class_sizes);
  writer.add<std::int64_t>("category_sizes", {categories}, s.sizes);
  writer.add<std::int64_t>("category_births", {s.births.size()}, s.births);
  writer.add<double>("category_sums", {categories, dimension}, s.sums);
  return writer.to_bytes();
}

Result<Snapshot> load_snapshot(const std::string& path, std::string_view method,
                               const Model& model) {
  PACO_ASSIGN(const SafetensorsFile file, open_artifact(path, kKind, kVersion));
  Snapshot s;
  PACO_ASSIGN(s.method, artifact_entry(file, "method"));
  PACO_ASSIGN(s.model, artifact_entry(file, "model"));
  if (s.method != method) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: a state of method '{}', not of '{}'", path, s.method, method),
                 fmt::format("resume with --method {}", s.method)};
  }
  if (s.model != model.fingerprint()) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: made with model {}, this one is {}", path, s.model, model.fingerprint()),
        "resume with the model that the state was made with"};
  }
  PACO_ASSIGN(const auto counters, file.read<std::int64_t>("counters"));
  PACO_ASSIGN(const auto lowest, file.read<double>("lowest_tau_birth"));
  PACO_ASSIGN(s.class_sizes, file.read<std::int64_t>("class_sizes"));
  PACO_ASSIGN(s.sizes, file.read<std::int64_t>("category_sizes"));
  PACO_ASSIGN(s.births, file.read<std::int64_t>("category_births"));
  PACO_ASSIGN(s.sums, file.read<double>("category_sums"));
  if (counters.size() != kCounters || lowest.size() != 1) {
    return Error{ErrorCode::bad_format, fmt::format("{}: its counters are incomplete", path),
                 "the file is damaged; use an earlier state"};
  }
  s.stats.samples = static_cast<std::uint64_t>(counters[0]);
  for (int i = 0; i < 4; ++i) s.stats.branches[i] = static_cast<std::uint64_t>(counters[1 + i]);
  for (int i = 0; i < 3; ++i) s.stats.routes[i] = static_cast<std::uint64_t>(counters[5 + i]);
  s.stats.lowest_tau_birth = lowest[0];
  PACO_TRY(check_consistency(s, model, path));
  return s;
}

}  // namespace paco
