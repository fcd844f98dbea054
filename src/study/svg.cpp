#include "study/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace paco::study {
namespace {

constexpr int kColours = 8;

std::string opened(const std::string& title, double width, double height) {
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" "
      "aria-label=\"{0}\">\n",
      html_text(title), width, height);
}

const char* const kClosed = "</svg></figure>\n";

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_text(text));
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bar_chart(const std::string& title, const std::vector<Bar>& bars,
                      const std::string& unit, int digits) {
  constexpr double kLabels = 130, kRoom = 480, kRow = 22, kWidth = 720;
  double most = 0;
  for (const Bar& bar : bars) most = std::max({most, bar.value, bar.mark.value_or(0)});
  if (most <= 0) most = 1;
  std::string out = opened(title, kWidth, kRow * static_cast<double>(bars.size()) + 8);
  double y = 4;
  for (const Bar& bar : bars) {
    const double width = kRoom * bar.value / most;
    out += text_at(kLabels - 8, y + 15, "end", bar.label);
    out +=
        fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n",
                    bar.label == "paco" ? "c0" : "c1", kLabels, y + 3, width, kRow - 6);
    double end = width;
    if (bar.mark) {
      const double at = kLabels + kRoom * *bar.mark / most;
      out += fmt::format(
          "<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
          at, y + 1, y + kRow - 1);
      end = std::max(end, at - kLabels);
    }
    out += text_at(kLabels + end + 6, y + 15, "start",
                   fmt::format("{:.{}f}{}", bar.value, digits, unit));
    y += kRow;
  }
  return out + kClosed;
}

std::string line_chart(const std::string& title, const std::vector<Line>& lines,
                       const std::vector<std::string>& ticks, const std::string& y_title) {
  constexpr double kLeft = 56, kTop = 12, kWide = 480, kHigh = 260, kWidth = 720, kHeight = 316;
  double most_x = ticks.empty() ? 1 : static_cast<double>(ticks.size()) - 1, most_y = 0;
  for (const Line& line : lines) {
    for (const auto& [x, y] : line.points) {
      if (ticks.empty()) most_x = std::max(most_x, x);
      most_y = std::max(most_y, y);
    }
  }
  if (most_x <= 0) most_x = 1;
  if (most_y <= 0) most_y = 1;
  const auto across = [&](double x) { return kLeft + kWide * x / most_x; };
  const auto up = [&](double y) { return kTop + kHigh * (1 - y / most_y); };
  std::string out = opened(title, kWidth, kHeight);
  constexpr int kSteps = 4;
  for (int step = 0; step <= kSteps; ++step) {
    const double y = most_y * step / kSteps;
    out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       kLeft, kLeft + kWide, up(y), up(y));
    out += text_at(kLeft - 6, up(y) + 4, "end", fmt::format("{:.{}f}", y, most_y < 10 ? 1 : 0));
    if (ticks.empty()) {
      const double x = most_x * step / kSteps;
      out += text_at(across(x), kTop + kHigh + 18, "middle", fmt::format("{:.0f}", x));
    }
  }
  for (std::size_t i = 0; i < ticks.size(); ++i)
    out += text_at(across(static_cast<double>(i)), kTop + kHigh + 18, "middle", ticks[i]);
  out += text_at(kLeft, kTop + kHigh + 38, "start", y_title);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::size_t colour = l % kColours;
    std::string points;
    for (const auto& [x, y] : lines[l].points)
      points += fmt::format("{:.1f},{:.1f} ", across(x), up(y));
    out += fmt::format("<polyline class=\"s{}\" points=\"{}\"/>\n", colour, points);
    const double at = kTop + 16 * static_cast<double>(l) + 10;
    out += fmt::format("<line class=\"s{}\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       colour, kLeft + kWide + 20, kLeft + kWide + 44, at - 4, at - 4);
    out += text_at(kLeft + kWide + 50, at, "start", lines[l].label);
  }
  return out + kClosed;
}

std::string two_histograms(const std::string& title, double low, double high, double threshold,
                           const std::vector<double>& positives,
                           const std::vector<double>& negatives) {
  constexpr double kLeft = 20, kTop = 12, kWide = 660, kHigh = 180, kWidth = 720, kHeight = 232;
  const auto share = [](const std::vector<double>& counts) {
    double total = 0;
    for (const double count : counts) total += count;
    std::vector<double> out = counts;
    for (double& value : out) value /= std::max(total, 1.0);
    return out;
  };
  const std::vector<double> yes = share(positives), no = share(negatives);
  double most = 1e-12;
  for (const double value : yes) most = std::max(most, value);
  for (const double value : no) most = std::max(most, value);
  std::string out = opened(title, kWidth, kHeight);
  const double step = kWide / static_cast<double>(yes.size());
  const auto bars = [&](const std::vector<double>& values, const char* colour) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double height = kHigh * values[i] / most;
      out += fmt::format(
          "<rect class=\"{} half\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>\n",
          colour, kLeft + step * static_cast<double>(i), kTop + kHigh - height, step, height);
    }
  };
  bars(no, "c3");
  bars(yes, "c0");
  const double span = high > low ? high - low : 1;
  const double at = kLeft + kWide * (threshold - low) / span;
  out += fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
                     at, kTop, kTop + kHigh);
  out += text_at(kLeft, kTop + kHigh + 18, "start", fmt::format("{:.3f}", low));
  out += text_at(kLeft + kWide, kTop + kHigh + 18, "end", fmt::format("{:.3f}", high));
  out += text_at(std::clamp(at, 80.0, 620.0), kTop + kHigh + 34, "middle",
                 fmt::format("threshold {:.4f}", threshold));
  return out + kClosed;
}

}  // namespace paco::study
