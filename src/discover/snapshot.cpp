#include "discover/snapshot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

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
  for (std::size_t k = 0; k < s.class_sizes.size(); ++k) {
    if (s.class_sizes[k] < model.class_sizes[k])
      return damaged(fmt::format("class {} has shrunk", k));
  }
  for (std::size_t k = 0; k < categories; ++k) {
    if (s.sizes[k] < 1 || s.births[k] < (k == 0 ? 0 : s.births[k - 1] + 1)) {
      return damaged(fmt::format("category {} has an impossible size or birth", k));
    }
  }
  for (const double x : s.sums) {
    if (!std::isfinite(x)) return damaged("a category's sum is not finite");
  }
  const auto total = [](const std::vector<std::int64_t>& v) {
    return std::accumulate(v.begin(), v.end(), std::int64_t{0});
  };
  const std::int64_t decided = total(s.sizes) + total(s.class_sizes) - total(model.class_sizes);
  if (decided != static_cast<std::int64_t>(s.stats.samples)) {
    return damaged(fmt::format("it counts {} samples but holds {}", s.stats.samples, decided));
  }
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
  writer.add<std::int64_t>("category_births", {categories}, s.births);
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
