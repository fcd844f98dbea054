// The losses that heads are trained with, each with its gradient. A function returns the loss and
// writes the gradient with respect to its first argument. Labels are class ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "peers/network.hpp"

namespace paco {

// Rows divided by their lengths.
struct UnitRows {
  Matrix<float> units;
  std::vector<double> lengths;
};
UnitRows unit_rows(Rows<const float> x);
// From the gradient of the units to that of the rows they were made from.
Matrix<float> through_unit_rows(const UnitRows& made, Matrix<float> gradient);

// Supervised contrastive loss: mean over rows of the mean over rows of the same class of
// -log softmax of the product over `temperature`, among all other rows. Rows without another of
// their class are left out.
double supervised_contrastive(Rows<const float> units, std::span<const std::int64_t> labels,
                              double temperature, ThreadPool& pool, Matrix<float>& gradient);

// Mean over rows of -log softmax(logits)[label].
double cross_entropy(Rows<const float> logits, std::span<const std::int64_t> labels,
                     Matrix<float>& gradient);

// Hash centres of classes keep apart: with c = tanh(3 centre), the mean over classes of the sum
// over others of max(0, apart - 0.5 (0.95 L - c.c')).
double separation(Rows<const float> centres, double apart, Matrix<float>& gradient);

// mean(1 - |tanh(steepness x)|): outputs near zero make uncertain bits.
double quantisation(Rows<const float> x, float steepness, Matrix<float>& gradient);

}  // namespace paco
