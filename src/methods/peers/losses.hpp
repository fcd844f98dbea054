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
// From the gradient of the units to that of the rows they were made from.
math::Matrix<float> through_unit_rows(const UnitRows& made, math::Matrix<float> gradient);

// Supervised contrastive loss: mean over rows of the mean over rows of the same class of
// -log softmax of the product over `temperature`, among all other rows. Rows without another of
// their class are left out.
double supervised_contrastive(Rows<const float> units, std::span<const std::int64_t> labels,
                              double temperature, core::ThreadPool& pool,
                              math::Matrix<float>& gradient);

// Mean over rows of -log softmax(logits)[label].
double cross_entropy(Rows<const float> logits, std::span<const std::int64_t> labels,
                     math::Matrix<float>& gradient);

// Hash centres of classes keep apart: with c = tanh(3 centre), the mean over classes of the sum
// over others of max(0, apart - 0.5 (0.95 L - c.c')).
double separation(Rows<const float> centres, double apart, math::Matrix<float>& gradient);

// mean(1 - |tanh(steepness x)|): outputs near zero make uncertain bits.
double quantisation(Rows<const float> x, float steepness, math::Matrix<float>& gradient);

}  // namespace paco::methods
