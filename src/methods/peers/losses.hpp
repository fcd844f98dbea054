// The losses that heads are trained with, each with its gradient. A function returns the loss and
// writes the gradient with respect to its first argument. Labels are class ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/peers/network.hpp"

namespace paco::methods {

// Rows divided by their lengths.
struct UnitRows {
  math::Matrix<float> units;
  std::vector<double> lengths;
};
UnitRows unit_rows(Rows<const float> x);
// Converts the gradient of the units to that of the rows they were made from.
math::Matrix<float> through_unit_rows(const UnitRows& made, math::Matrix<float> gradient);

// Supervised contrastive loss. For each row: the mean over the other rows of its class of -log
// softmax of the product divided by `temperature`, where the softmax is over all other rows. The
// loss is the mean over rows. Rows without another row of their class are left out.
double supervised_contrastive(Rows<const float> units, std::span<const std::int64_t> labels,
                              double temperature, core::ThreadPool& pool,
                              math::Matrix<float>& gradient);

// Mean over rows of -log softmax(logits)[label].
double cross_entropy(Rows<const float> logits, std::span<const std::int64_t> labels,
                     math::Matrix<float>& gradient);

// Separation of the hash centres of classes. With c = tanh(3 centre): the mean over classes of the
// sum over the other classes of max(0, apart - 0.5 (0.95 L - c.c')).
double separation(Rows<const float> centres, double apart, math::Matrix<float>& gradient);

// mean(1 - |tanh(steepness x)|). It is large for outputs near zero, whose bits are uncertain.
double quantisation(Rows<const float> x, float steepness, math::Matrix<float>& gradient);

}  // namespace paco::methods
