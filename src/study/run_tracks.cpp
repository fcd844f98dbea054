#include "study/run_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace paco::study {
namespace {

// The place of a method's evidence by its name.
Result<std::size_t> place_of(const MethodInfo& info, std::string_view name) {
  for (std::size_t i = 0; i < info.evidence.size(); ++i) {
    if (info.evidence[i].name == name) return i;
  }
  return Error{ErrorCode::unsupported,
               fmt::format("method '{}' has no '{}' to draw", info.name, name),
               "this figure is of paco and reference"};
}

Result<std::vector<std::size_t>> places_of(const MethodInfo& info,
                                           std::span<const std::string_view> names) {
  std::vector<std::size_t> places;
  for (const std::string_view name : names) {
    const Result<std::size_t> place = place_of(info, name);
    if (!place.ok()) return place.error();
    places.push_back(*place);
  }
  return places;
}

Track birth_rows_of(const std::vector<std::size_t>& places, std::span<const Decision> decisions,
                    std::int64_t known_classes) {
  constexpr std::size_t kSteps = 100;
  Track track{{"sample", "categories", "boundary", "eta", "mature"}, {}};
  auto categories = static_cast<double>(known_classes);
  for (std::size_t i = 0, step = 1; i < decisions.size(); ++i) {
    categories += decisions[i].verdict == Verdict::created;
    if (i + 1 < decisions.size() * step / kSteps) continue;
    while (step <= kSteps && decisions.size() * step / kSteps <= i + 1) ++step;
    std::vector<double>& row = track.rows.emplace_back();
    row = {static_cast<double>(i + 1), categories};
    for (const std::size_t place : places) row.push_back(decisions[i].evidence[place]);
  }
  return track;
}

Track region_rows_of(const std::vector<std::size_t>& places, std::span<const Decision> decisions,
                     std::span<const std::int64_t> truth, std::int64_t known_classes) {
  constexpr std::size_t kMost = 4000;  // as many as a picture shows, besides every first one
  const std::size_t step = std::max<std::size_t>(decisions.size() / kMost, 1);
  Track track{{"sample", "cosine", "margin", "birth_score", "attach_score", "kind"}, {}};
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const bool novel = truth[i] >= known_classes;
    const bool first = novel && seen.insert(truth[i]).second;
    if (i % step != 0 && !first) continue;
    std::vector<double>& row = track.rows.emplace_back();
    row = {static_cast<double>(i)};
    for (const std::size_t place : places) row.push_back(decisions[i].evidence[place]);
    row.push_back(!novel ? 0 : first ? 1 : 2);
  }
  return track;
}

}  // namespace

Track latency_track(std::span<const double> seconds) {
  constexpr std::size_t kBins = 25;
  Track track{{"from_percent", "to_percent", "mean_microseconds", "p99_microseconds"}, {}};
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::size_t from = seconds.size() * b / kBins, to = seconds.size() * (b + 1) / kBins;
    if (from == to) continue;
    std::vector<double> bin(seconds.begin() + static_cast<std::ptrdiff_t>(from),
                            seconds.begin() + static_cast<std::ptrdiff_t>(to));
    std::sort(bin.begin(), bin.end());
    const double mean =
        std::accumulate(bin.begin(), bin.end(), 0.0) / static_cast<double>(bin.size());
    constexpr double kPercent = 100.0 / kBins;
    track.rows.push_back({kPercent * static_cast<double>(b), kPercent * static_cast<double>(b + 1),
                          1e6 * mean, 1e6 * bin[bin.size() * 99 / 100]});
  }
  return track;
}

Result<Track> decision_track(TrackKind kind, const MethodInfo& info,
                             std::span<const Decision> decisions,
                             std::span<const std::int64_t> truth, std::int64_t known_classes) {
  static constexpr std::string_view kBirth[] = {"tau_birth_after", "eta_after", "mature_after"};
  static constexpr std::string_view kRegions[] = {"top_cosine", "margin", "birth_score",
                                                  "attach_score"};
  const bool birth = kind == TrackKind::birth;
  const auto places = birth ? places_of(info, kBirth) : places_of(info, kRegions);
  if (!places.ok()) return places.error();
  return birth ? birth_rows_of(*places, decisions, known_classes)
               : region_rows_of(*places, decisions, truth, known_classes);
}

}  // namespace paco::study
