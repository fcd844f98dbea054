// All figures of the paper's seven tables, for comparison with ours. They come from another
// backbone, which the authors trained on images. tools/paper_figures.py extracts them from the
// paper's text to paper_figures.csv.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paco::study {

struct PaperFigure {
  int table = 0;         // 1 to 7, in the paper's order
  std::string protocol;  // "strict", "greedy"; empty: neither
  std::string data;      // "cub", ..., or "average"
  std::string method;    // our label of it; in the ablation, the variant
  std::string measure;   // "all", "old", "new", "categories", "support", "total_seconds", ...
  double value = 0;      // percent, counts or seconds, as printed
  std::optional<double> deviation;
};

const std::vector<PaperFigure>& paper_figures();

// The data set of the paper that a name begins with ("cub" of "cub-finetuned"), or nothing.
std::string paper_set(std::string_view name);

// The paper's name of one of our contenders. What the paper calls "smile" is "smile-head" here, a
// head on given embeddings.
std::string paper_method(std::string_view label);

// The Strict accuracy over all classes that the paper has for a method, in percent.
std::optional<double> paper_accuracy(std::string_view set_name, std::string_view method);

}  // namespace paco::study
