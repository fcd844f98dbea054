// The random draws of calibration: the role of each sample in a pseudo-stream, and the folds of
// cross-validation. Draws come from numpy's legacy generator in a fixed order, so a seed gives the
// same draws on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace paco::methods {

// If there are more samples than this, only so many are drawn, to limit the time of calibration.
inline constexpr std::size_t kMostDrawn = 3000;

// Half of the classes are visible. Half of the samples of a visible class are references (two of
// three if it has three). All other samples are the stream.
struct PseudoSplit {
  std::vector<std::size_t> references;          // rows of the support set, ascending
  std::vector<std::uint32_t> reference_labels;  // 0 .. visible - 1
  std::vector<std::size_t> stream;              // rows in stream order
  std::vector<std::uint32_t> stream_labels;     // visible classes first, hidden ones follow
  std::size_t visible = 0;
};

// Of `classes` classes, the number that a pseudo-stream treats as known; the others are hidden.
inline std::size_t visible_classes(std::size_t classes) {
  return std::max<std::size_t>(2, classes / 2);
}

PseudoSplit draw_split(std::span<const std::uint32_t> labels, std::size_t classes,
                       core::NumpyLegacyRandom& random);

inline constexpr std::size_t kFolds = 5;

// Rows that are held out in each fold, ascending. A class with a single sample is never held out.
// `scored` are the held-out rows whose cosines are computed: all, or a random part if there are
// many.
struct Fold {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> scored;
};
std::vector<Fold> draw_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                             core::NumpyLegacyRandom& random);

}  // namespace paco::methods
