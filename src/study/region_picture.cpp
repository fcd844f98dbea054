#include "study/region_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/page.hpp"

namespace paco::study {
namespace {

constexpr double kSide = 360, kEdge = 50, kPanel = kSide + 2 * kEdge, kHead = 30;
constexpr const char* kColours[] = {"#999999", "#d62728", "#2ca02c"};
constexpr const char* kKinds[] = {"known class", "first of a novel class",
                                  "later of a novel class"};

struct Axis {
  std::size_t column;
  const char* name;
  std::vector<double> thresholds;
  double low = 0, high = 1;

  double place(double value) const { return kSide * (value - low) / (high - low); }
};

double threshold_of(const RunResult& result, const char* name) {
  for (const Region& region : result.regions) {
    if (region.name == name) return region.value;
  }
  return std::nan("");
}

// From the 0.5th to the 99.5th percentile, so that a few samples do not press the others together.
void set_range(Axis& axis, const Track& track) {
  std::vector<double> values;
  for (const auto& row : track.rows) {
    if (std::isfinite(row[axis.column])) values.push_back(row[axis.column]);
  }
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 200;
  axis.low = values[cut];
  axis.high = values[values.size() - 1 - cut];
  for (const double threshold : axis.thresholds) {
    if (!std::isfinite(threshold)) continue;
    axis.low = std::min(axis.low, threshold);
    axis.high = std::max(axis.high, threshold);
  }
  if (axis.high <= axis.low) axis.high = axis.low + 1;
}

std::string panel(const Track& track, Axis x, Axis y, double left, double top) {
  set_range(x, track);
  set_range(y, track);
  const double x0 = left + kEdge, y0 = top + kHead;
  std::string svg = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", x0,
      y0, kSide, kSide);
  for (int kind : {0, 2, 1}) {  // first ones on top
    for (const auto& row : track.rows) {
      const double px = x.place(row[x.column]), py = y.place(row[y.column]);
      if (static_cast<int>(row.back()) != kind ||
          !(px >= 0 && px <= kSide && py >= 0 && py <= kSide))
        continue;
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x0 + px,
                         y0 + kSide - py, kind == 1 ? 2.5 : 1.2, kColours[kind]);
    }
  }
  for (const double threshold : x.thresholds) {
    if (!std::isfinite(threshold)) continue;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#333\" "
        "stroke-dasharray=\"4\"/>\n",
        x0 + x.place(threshold), y0, y0 + kSide);
  }
  for (const double threshold : y.thresholds) {
    if (!std::isfinite(threshold)) continue;
    svg += fmt::format(
        "<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#333\" "
        "stroke-dasharray=\"4\"/>\n",
        y0 + kSide - y.place(threshold), x0, x0 + kSide);
  }
  const auto text = [&](double at_x, double at_y, const std::string& words) {
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"12\">{}</text>\n", at_x, at_y,
                       report::html_text(words));
  };
  text(x0, y0 + kSide + 16, fmt::format("{:.4g}", x.low));
  text(x0 + kSide - 40, y0 + kSide + 16, fmt::format("{:.4g}", x.high));
  text(x0 + kSide / 2 - 40, y0 + kSide + 32, x.name);
  text(x0, y0 - 6, fmt::format("{}, {:.4g} to {:.4g}", y.name, y.low, y.high));
  return svg;
}

}  // namespace

std::string region_pictures(const Plan& plan, const std::vector<Run>& runs,
                            const std::vector<RunResult>& results,
                            const std::vector<DataSet>& data) {
  if (plan.question != Question::region_track) return "";
  constexpr double kRow = kSide + kHead + kEdge + 40;
  std::string inside;
  double top = 0;
  std::set<std::string> drawn;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!drawn.insert(data[runs[i].data].name).second) continue;
    const RunResult& result = results[i];
    inside += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"14\">{}</text>\n", kEdge, top + 18,
                          report::html_text(data[runs[i].data].name));
    for (int kind = 0; kind < 3; ++kind) {
      inside += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{}\">{}</text>\n",
                            200 + 160 * kind, top + 18, kColours[kind], kKinds[kind]);
    }
    inside += panel(result.track,
                    {1, "cosine with the best known class", {threshold_of(result, "tau_lo")}},
                    {2, "margin", {threshold_of(result, "tau_hi")}}, 0, top + 20);
    inside += panel(result.track, {3, "birth score", {threshold_of(result, "tau_birth_sup")}},
                    {4, "attach score", {threshold_of(result, "tau_create")}}, kPanel, top + 20);
    top += kRow;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\">\n{}</svg>\n",
      2 * kPanel, top, inside);
}

}  // namespace paco::study
