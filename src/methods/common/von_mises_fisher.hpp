// The few quantities of the von Mises-Fisher distribution that the method uses. Symbols as in the
// paper: d is the dimension, r the mean resultant length |R| / n of a prototype, kappa its
// concentration.
#pragma once

#include <cstdint>

namespace paco::methods {

// log p0: log density of the uniform distribution on the unit sphere in d dimensions.
double log_uniform_density(std::size_t dimension);

// kappa of a category of n samples whose sum has length |R|: the usual estimate r (d - r^2) / (1 -
// r^2), with r^2 at most 1 - 1e-6 so that duplicates stay finite, shrunk by (n - 1) / (n + 1). Zero
// for a single sample.
double concentration(double resultant, std::int64_t size, std::size_t dimension);

// a_k = log n + kappa cos - log p0: how well a category explains a sample at this cosine.
double attach_score(double cosine, std::int64_t size, double kappa, double log_p0);

// lambda_k: the birth score of a typical member of the category, shrunk for small sizes.
double birth_level(double resultant, std::int64_t size, double temperature, double log_p0);

}  // namespace paco::methods
