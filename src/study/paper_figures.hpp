// The paper's own figures, to stand beside ours and marked as the paper's: another backbone,
// trained on images by the authors.
#pragma once

#include <span>
#include <string_view>

namespace paco::study {

struct PaperFigure {
  std::string_view data;      // how names of data sets of this kind begin: "cub"
  std::string_view method;    // our label of it
  std::string_view protocol;  // "strict" or "greedy"
  double all, old, novel;     // percent
  int categories;             // 0: not given
};

std::span<const PaperFigure> paper_figures();
// Does a data set of this name belong with a figure?
bool is_of(const PaperFigure& figure, std::string_view data);

}  // namespace paco::study
