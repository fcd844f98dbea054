#include "train/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace paco::train {
namespace {

constexpr const char* kHeader =
    "epoch,step,loss,cls,stat,cos,margin,compact,accuracy,gradient,factor,skipped,seconds,images_"
    "per_second";
constexpr std::size_t kColumns = 14;

// Geometry of the picture, in pixels.
constexpr double kWidth = 720, kHeight = 360, kLeft = 56, kRight = 120, kTop = 24, kBottom = 40;

struct Curve {
  const char* name;
  const char* colour;
  double EpochMetrics::*value;
  bool share;  // drawn on the scale 0 to 1 instead of the losses'
};

constexpr std::array<Curve, 4> kCurves{{{"loss", "#1b4b8f", &EpochMetrics::loss, false},
                                        {"cls", "#c2571a", &EpochMetrics::cls, false},
                                        {"stat", "#3a7d44", &EpochMetrics::stat, false},
                                        {"accuracy", "#777777", &EpochMetrics::accuracy, true}}};

}  // namespace

std::string metrics_csv(const std::vector<EpochMetrics>& epochs) {
  std::string text = fmt::format("{}\n", kHeader);
  for (const auto& e : epochs) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.1f}\n", e.epoch, e.step,
                        e.loss, e.cls, e.stat, e.cos, e.margin, e.compact, e.accuracy, e.gradient,
                        e.factor, e.skipped, e.seconds, e.images_per_second);
  }
  return text;
}

Result<std::vector<EpochMetrics>> parse_metrics_csv(const std::string& text,
                                                    const std::string& origin) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHeader) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: not the metrics of a training run", origin), ""};
  }
  std::vector<EpochMetrics> epochs;
  while (std::getline(lines, line)) {
    std::array<double, kColumns> fields{};
    const char* at = line.data();
    const char* end = line.data() + line.size();
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto [next, code] = std::from_chars(at, end, fields[i]);
      const bool last = i + 1 == kColumns;
      if (code != std::errc() || (last ? next != end : (next == end || *next != ','))) {
        return Error{
            ErrorCode::bad_format,
            fmt::format("{}: row {} does not hold {} numbers", origin, epochs.size() + 1, kColumns),
            ""};
      }
      at = last ? next : next + 1;
    }
    epochs.push_back({static_cast<int>(fields[0]), static_cast<std::uint64_t>(fields[1]), fields[2],
                      fields[3], fields[4], fields[5], fields[6], fields[7], fields[8], fields[9],
                      fields[10], fields[13], fields[12], static_cast<std::uint64_t>(fields[11])});
  }
  return epochs;
}

std::string loss_svg(const std::vector<EpochMetrics>& epochs) {
  double highest = 0;
  for (const auto& e : epochs) highest = std::max({highest, e.loss, e.cls, e.stat});
  if (highest <= 0) highest = 1;
  const double plot_width = kWidth - kLeft - kRight, plot_height = kHeight - kTop - kBottom;
  const auto x_of = [&](std::size_t i) {
    const double steps = static_cast<double>(std::max<std::size_t>(epochs.size(), 2) - 1);
    return kLeft + plot_width * static_cast<double>(i) / steps;
  };
  const auto y_of = [&](double share) { return kTop + plot_height * (1 - share); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n"
      "<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n",
      kWidth, kHeight, kWidth, kHeight);
  for (int tick = 0; tick <= 4; ++tick) {
    const double share = tick / 4.0, y = y_of(share);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.2f}</text>"
        "<text x=\"{6}\" y=\"{4:.1f}\" fill=\"#777777\">{7:.0f} %</text>\n",
        kLeft, kWidth - kRight, y, kLeft - 6, y + 4, highest * share, kWidth - kRight + 6,
        100 * share);
  }
  double legend = kTop + 8;
  for (const auto& curve : kCurves) {
    std::string points;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const double value = epochs[i].*curve.value;
      points += fmt::format("{:.1f},{:.1f} ", x_of(i), y_of(curve.share ? value : value / highest));
    }
    svg += fmt::format(
        "<polyline fill=\"none\" stroke=\"{0}\" stroke-width=\"2\" points=\"{1}\"/>"
        "<text x=\"{2}\" y=\"{3:.1f}\" fill=\"{0}\">{4}</text>\n",
        curve.colour, points, kWidth - kRight + 50, legend, curve.name);
    legend += 18;
  }
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\">epoch 1</text><text x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">{}</text>\n</svg>\n",
      kLeft, kHeight - 14, kWidth - kRight, kHeight - 14, epochs.size());
  return svg;
}

}  // namespace paco::train
