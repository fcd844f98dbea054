// The two terms that training minimises, L = L_cls + weight * L_stat, as plain functions of
// features.
//
// Features are as the head gave them, not normalised; view 1 and view 2 are (B, d) with row i of
// both made from sample i. Everything is differentiable, in any floating type. Which classes play
// "visible" in an episode is passed in, so a value can be recomputed exactly.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace paco::train {

struct MarginOptions {
  double scale = 30.0;  // s: multiplies every cosine
  double margin = 0.5;  // m: added to the angle with the own class, in radians
  bool enabled =
      true;  // false: plain softmax over unnormalised products (the ablation "no angular margin")
};

// L_cls: cross entropy over the classifier's rows (K, d), with the own class's angle made larger by
// the margin. Past the angle pi - m the cosine would turn back up, so there cos(theta) - m sin(m)
// carries on instead.
torch::Tensor classification_loss(const torch::Tensor& features, const torch::Tensor& labels,
                                  const torch::Tensor& classifier, const MarginOptions& options);

// The statistical episode: half of the classes stand in a bank of prototypes, the others play the
// unknown.
struct Episode {
  std::vector<std::int64_t>
      visible;  // class ids, increasing; empty: too few classes for an episode
};

// Draws the visible half (at least 2, leaving at least 1 hidden) of the classes present. Fewer than
// 3: no episode.
Episode draw_episode(const std::vector<std::int64_t>& labels, core::Random& random);

// Parts of L_stat; all are scalars on the features' device, 0 where nothing could be scored.
struct StatLoss {
  torch::Tensor cos;      // visible samples respond more strongly than hidden ones
  torch::Tensor margin;   // and more distinctly
  torch::Tensor compact;  // and close to their own prototype
  torch::Tensor total;
};

// View 1 builds the prototypes, view 2 is scored. A visible sample meets its own class's prototype
// rebuilt without its own view-1 feature; alone in its class, it is not scored. The labels come
// twice, on the host for the bookkeeping.
StatLoss statistical_loss(const torch::Tensor& view1, const torch::Tensor& view2,
                          const std::vector<std::int64_t>& labels, const Episode& episode,
                          double compact_weight = 1);

}  // namespace paco::train
