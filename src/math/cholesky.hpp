// Symmetric matrices in double, with a fixed order of every sum: factors, inverses of factors, and
// what can be said about eigenvalues without computing them all. Results have the same bits on
// every machine (gemm_deterministic.hpp). Not a replacement for LAPACK: no pivoting.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "math/matrix.hpp"

namespace paco::math {

// Replaces the upper triangle of a symmetric `a` by R with a = R^T S R, S a diagonal of signs.
// False where a pivot is not above `smallest` in size, as for singular matrices; `a` is then
// spoilt. What stands below the diagonal is neither read nor written.
bool cholesky_signed(Matrix<double>& a, double smallest, std::vector<double>& signs);

// The transposed inverse of an upper triangular matrix: lower triangular, zeros above. `out` has
// its shape.
void inverse_transposed(const Matrix<double>& upper, Matrix<double>& out);

// Copies the upper triangle to the lower one, or back.
void mirror_upper(Matrix<double>& a);
void mirror_lower(Matrix<double>& a);

// The largest eigenvalue of a symmetric matrix without negative ones, to about 1e-12 (Lanczos).
double largest_eigenvalue(Rows<const double> a);

// How many eigenvalues of a symmetric matrix, which is spoilt, lie above `threshold` > 0. Those
// within about 1e-9 of it, relatively, may be counted either way.
std::size_t eigenvalues_above(Matrix<double>& a, double threshold);

}  // namespace paco::math
