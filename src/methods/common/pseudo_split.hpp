// The random draws of calibration: which samples stand for what in a pseudo-stream, and the folds
// of cross-validation. Draws come from numpy's legacy generator in a fixed order, so a seed means
// the same everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace paco::methods {

// More samples than this are drawn from, to bound the time of calibration.
inline constexpr std::size_t kMostDrawn = 3000;

// Half of the classes are visible; half of their samples (two of three) are references. Everything
// else is the stream.
struct PseudoSplit {
  std::vector<std::size_t> references;          // rows of the support set, ascending
  std::vector<std::uint32_t> reference_labels;  // 0 .. visible - 1
  std::vector<std::size_t> stream;              // rows in stream order
  std::vector<std::uint32_t> stream_labels;     // visible classes first, hidden ones follow
  std::size_t visible = 0;
};

// Of so many classes, those that a pseudo-stream knows; the others are hidden.
inline std::size_t visible_classes(std::size_t classes) {
  return std::max<std::size_t>(2, classes / 2);
}

PseudoSplit draw_split(std::span<const std::uint32_t> labels, std::size_t classes,
                       core::NumpyLegacyRandom& random);

inline constexpr std::size_t kFolds = 5;

// Rows that are held out in each fold, ascending; a class with a single sample never is. Where
// there are many, `scored` are those that cosines are wanted of, else all.
struct Fold {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> scored;
};
std::vector<Fold> draw_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                             core::NumpyLegacyRandom& random);

}  // namespace paco::methods
