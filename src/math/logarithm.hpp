// Logarithm, exponential and their kin from additions, subtractions, multiplications and divisions
// alone.
//
// A decision must have the same bits on every machine. The C library's functions are accurate, but
// the processor determines which of their versions runs, and the versions sometimes differ in the
// last bit. Here every operation has a rounding that IEEE 754 defines, in a fixed order (the build
// does not allow the compiler to fuse a multiplication and an addition). Everything that enters a
// model or a decision is computed with these functions; std::sqrt is exact by the standard and is
// used directly.
//
// Errors are below 0.55 units in the last place unless said otherwise. Special values are the same
// as in the C library; errno and the floating-point flags are not.
#pragma once

namespace paco::math {

double exact_log(double x);    // -infinity for 0, not a number below
double exact_log1p(double x);  // log(1 + x), also if 1 + x would round the x away
double exact_exp(double x);    // below 2^-1022 it is rounded twice

// x^y for finite x > 0. The error grows with the result: one unit in the last place at 1e50 or
// 1e-50.
double exact_pow(double x, double y);

// log of the gamma function for x up to 2^53. If x is a multiple of 1/2, the error is below 1e-15
// times the larger of 1 and the result; otherwise below 1e-14 times the same.
double exact_lgamma(double x);

}  // namespace paco::math
