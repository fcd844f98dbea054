#include "study/region_charts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace paco::study {
namespace {

using Json = nlohmann::ordered_json;

struct Axis {
  std::size_t column;  // of the track
  const char* name;
  const char* threshold;  // that is drawn across
};

// From the 0.5th to the 99.5th percentile, so that a few samples do not press the others together;
// the threshold is within.
Json axis_json(const Axis& axis, const RunResult& result) {
  std::vector<double> values;
  for (const auto& row : result.track.rows) {
    if (std::isfinite(row[axis.column])) values.push_back(row[axis.column]);
  }
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 200;
  double low = values.empty() ? 0 : values[cut];
  double high = values.empty() ? 1 : values[values.size() - 1 - cut];
  Json line;
  for (const Region& region : result.regions) {
    if (region.name != axis.threshold) continue;
    line = {{"value", region.value}, {"label", region.name}};
    low = std::min(low, region.value);
    high = std::max(high, region.value);
  }
  if (high <= low) high = low + 1;
  return {{"name", axis.name}, {"low", low}, {"high", high}, {"threshold", std::move(line)}};
}

Json chart(const std::string& title, const char* caption, const Axis& x, const Axis& y,
           const RunResult& result) {
  Json points = Json::array();
  for (const auto& row : result.track.rows) {
    const double across = row[x.column], up = row[y.column];
    if (std::isfinite(across) && std::isfinite(up))
      points.push_back({across, up, static_cast<int>(row.back())});
  }
  return {{"kind", "dots"},
          {"title", title},
          {"caption", caption},
          {"x", axis_json(x, result)},
          {"y", axis_json(y, result)},
          {"groups", {"known class", "first of a novel class", "later of a novel class"}},
          {"points", std::move(points)}};
}

}  // namespace

Json region_charts(const std::string& label, const RunResult& result) {
  return {chart(label + ": is a known class close?",
                "Each dot is a sample of the stream. To the left of the upright line only "
                "discovered categories compete for it, above the level line only known classes.",
                {1, "cosine with the best known class", "tau_lo"}, {2, "margin", "tau_hi"}, result),
          chart(label + ": born or attached?",
                "Samples whose birth score is to the left of the upright line may start a "
                "category, unless their attach score is above the level line. The boundary is "
                "where the support set puts it.",
                {3, "birth score", "tau_birth_sup"}, {4, "attach score", "tau_create"}, result)};
}

}  // namespace paco::study
