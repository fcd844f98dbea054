// Charts as SVG text, to stand inside a page: bars, lines and two histograms over each other.
// Colours come from the page's style (classes c0 .. c7), so that charts follow its light and dark
// forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paco::study {

// Text with the characters that mean something to HTML written out.
std::string html_text(std::string_view text);

struct Bar {
  std::string label;
  double value = 0;
  std::optional<double> mark;  // another figure to compare with, drawn as a line across
};
// Horizontal bars, one a line; `unit` follows each number.
std::string bar_chart(const std::string& title, const std::vector<Bar>& bars,
                      const std::string& unit, int digits);

struct Line {
  std::string label;
  std::vector<std::pair<double, double>> points;
};
// `ticks`: words along the x axis at 0, 1, 2, ...; without them x is numbers from 0.
std::string line_chart(const std::string& title, const std::vector<Line>& lines,
                       const std::vector<std::string>& ticks, const std::string& y_title);

// Two distributions over the same steps, and a threshold.
std::string two_histograms(const std::string& title, double low, double high, double threshold,
                           const std::vector<double>& positives,
                           const std::vector<double>& negatives);

}  // namespace paco::study
