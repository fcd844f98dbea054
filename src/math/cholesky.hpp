// Symmetric matrices in double, with a fixed order of every sum: factors, inverses of factors, and
// properties of eigenvalues that do not need all of them. Results have the same bits on every
// machine (gemm_deterministic.hpp). Not a replacement for LAPACK: no pivoting.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "math/matrix.hpp"

namespace paco::math {

// Replaces the upper triangle of a symmetric `a` by R with a = R^T S R, where S is a diagonal of
// signs. Returns false if the size of a pivot is not above `smallest`, as for singular matrices;
// the contents of `a` are then unspecified. The part below the diagonal is neither read nor
// written.
bool cholesky_signed(Matrix<double>& a, double smallest, std::vector<double>& signs);

// The transposed inverse of an upper triangular matrix: lower triangular, zeros above. `out` has
// its shape.
void inverse_transposed(const Matrix<double>& upper, Matrix<double>& out);

// Copies the upper triangle to the lower one, or back.
void mirror_upper(Matrix<double>& a);
void mirror_lower(Matrix<double>& a);

// The largest eigenvalue of a symmetric matrix without negative eigenvalues, to about 1e-12
// (Lanczos).
double largest_eigenvalue(Rows<const double> a);

// The number of eigenvalues of a symmetric matrix above `threshold` > 0; `a` is overwritten.
// Eigenvalues within a relative distance of about 1e-9 of the threshold may be counted either way.
std::size_t eigenvalues_above(Matrix<double>& a, double threshold);

}  // namespace paco::math
