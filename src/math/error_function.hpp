// The error function, with the same bits on every machine: a series of additions and
// multiplications as math/logarithm.hpp has them. The error is below 1e-14.
#pragma once

namespace paco::math {

double exact_erf(double x);

}  // namespace paco::math
