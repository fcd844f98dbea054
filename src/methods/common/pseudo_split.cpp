#include "methods/common/pseudo_split.hpp"

#include <algorithm>

namespace paco::methods {
namespace {

// Rows of each class that are in use, ascending.
std::vector<std::vector<std::size_t>> by_class(std::span<const std::uint32_t> labels,
                                               std::size_t classes, const std::vector<bool>& used) {
  std::vector<std::vector<std::size_t>> rows(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (used[i]) rows[labels[i]].push_back(i);
  }
  return rows;
}

}  // namespace

PseudoSplit draw_split(std::span<const std::uint32_t> labels, std::size_t classes,
                       core::NumpyLegacyRandom& random) {
  const std::size_t n = labels.size();
  const std::vector<std::size_t> order = random.permutation(classes);
  std::vector<bool> used(n, n <= kMostDrawn);
  if (n > kMostDrawn) {
    const std::vector<std::size_t> drawn = random.permutation(n);
    for (std::size_t i = 0; i < kMostDrawn; ++i) used[drawn[i]] = true;
  }
  const auto rows = by_class(labels, classes, used);
  std::vector<bool> is_reference(n, false);
  for (std::size_t c = 0; c < visible_classes(classes); ++c) {
    const std::vector<std::size_t>& mine = rows[order[c]];
    const std::vector<std::size_t> shuffled = random.permutation(mine.size());
    const std::size_t two = mine.size() > 0 ? std::min<std::size_t>(2, mine.size() - 1) : 0;
    const std::size_t count = std::max({(mine.size() + 1) / 2, two, std::size_t{1}});
    for (std::size_t i = 0; i < std::min(count, mine.size()); ++i)
      is_reference[mine[shuffled[i]]] = true;
  }

  PseudoSplit split;
  std::vector<std::size_t> rest;
  std::vector<bool> visible(classes, false);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_reference[i]) {
      split.references.push_back(i);
      visible[labels[i]] = true;
    } else if (used[i]) {
      rest.push_back(i);
    }
  }
  std::vector<std::uint32_t> number(classes);
  std::uint32_t next = 0;
  for (const bool wanted : {true, false}) {
    for (std::size_t k = 0; k < classes; ++k) {
      if (visible[k] == wanted) number[k] = next++;
    }
    if (wanted) split.visible = next;
  }
  for (const std::size_t i : split.references) split.reference_labels.push_back(number[labels[i]]);
  for (const std::size_t i : random.permutation(rest.size())) {
    split.stream.push_back(rest[i]);
    split.stream_labels.push_back(number[labels[rest[i]]]);
  }
  return split;
}

std::vector<Fold> draw_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                             core::NumpyLegacyRandom& random) {
  const std::size_t n = labels.size();
  const auto rows = by_class(labels, classes, std::vector<bool>(n, true));
  std::vector<std::size_t> fold_of(n, kFolds);
  for (const std::vector<std::size_t>& mine : rows) {
    if (mine.size() < 2) continue;
    const std::vector<std::size_t> shuffled = random.permutation(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) fold_of[mine[shuffled[i]]] = i % kFolds;
  }
  // Held-out samples in sequence, fold by fold. If there are many, a random part of them is used.
  std::vector<std::size_t> held_out;
  for (std::size_t f = 0; f < kFolds; ++f) {
    for (std::size_t i = 0; i < n; ++i) {
      if (fold_of[i] == f) held_out.push_back(i);
    }
  }
  std::vector<bool> is_scored(n, held_out.size() <= kMostDrawn);
  if (held_out.size() > kMostDrawn) {
    const std::vector<std::size_t> drawn = random.permutation(held_out.size());
    for (std::size_t i = 0; i < kMostDrawn; ++i) is_scored[held_out[drawn[i]]] = true;
  }
  std::vector<Fold> folds(kFolds);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < kFolds; ++f) {
      if (fold_of[i] != f) folds[f].kept.push_back(i);
    }
    if (fold_of[i] < kFolds && is_scored[i]) folds[fold_of[i]].scored.push_back(i);
  }
  return folds;
}

}  // namespace paco::methods
