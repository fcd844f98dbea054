// Banks to search in: real ones, larger ones that are made like them, and ones without structure.
#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "io/embeddings.hpp"
#include "io/npy.hpp"
#include "math/gemm.hpp"
#include "methods/common/standardise.hpp"
#include "screening.hpp"

namespace paco::bench {
namespace {

void normalise(std::span<float> row) {
  double squared = 0;
  for (const float x : row) squared += static_cast<double>(x) * static_cast<double>(x);
  const double length = std::sqrt(squared);
  for (float& x : row) x = static_cast<float>(static_cast<double>(x) / length);
}

math::Matrix<float> normal_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  core::Random random(seed);
  math::Matrix<float> out(rows, columns);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    out.data()[i] = static_cast<float>(random.normal());
  }
  return out;
}

// Random combinations of the rows of `base`: (count, d) with the covariance of base.
math::Matrix<float> combinations(const math::Matrix<float>& base, std::size_t count,
                                 std::uint64_t seed) {
  math::Matrix<float> transposed(base.columns(), base.rows());
  for (std::size_t i = 0; i < base.rows(); ++i) {
    for (std::size_t j = 0; j < base.columns(); ++j) transposed[j][i] = base[i][j];
  }
  const math::Matrix<float> weights = normal_matrix(count, base.rows(), seed);
  math::Matrix<float> out(count, base.columns());
  core::ThreadPool here;
  math::multiply_transposed(weights.data(), count, transposed.data(), base.columns(), base.rows(),
                            out.data(), base.columns(), here);
  return out;
}

std::size_t nearest(const math::Matrix<float>& prototypes, std::span<const float> query) {
  std::size_t best = 0;
  float best_product = -2;
  for (std::size_t k = 0; k < prototypes.rows(); ++k) {
    float product = 0;
    for (std::size_t j = 0; j < query.size(); ++j) product += prototypes[k][j] * query[j];
    if (product > best_product) {
      best_product = product;
      best = k;
    }
  }
  return best;
}

// Samples around prototypes of `bank`, with the covariance that the real ones have around theirs.
void add_queries(Bank& bank, const Bank& real, std::size_t queries) {
  // What real samples have beside their prototype's direction, and how much of that direction.
  math::Matrix<float> rest(real.queries.rows(), real.queries.columns());
  double along = 0;
  for (std::size_t i = 0; i < rest.rows(); ++i) {
    const auto prototype = real.prototypes[nearest(real.prototypes, real.queries[i])];
    float cosine = 0;
    for (std::size_t j = 0; j < rest.columns(); ++j) cosine += prototype[j] * real.queries[i][j];
    for (std::size_t j = 0; j < rest.columns(); ++j) {
      rest[i][j] = real.queries[i][j] - cosine * prototype[j];
    }
    along += static_cast<double>(cosine) / static_cast<double>(rest.rows());
  }
  bank.queries = combinations(rest, queries, 2);
  core::Random random(3);
  const auto beside = static_cast<float>(std::sqrt(1 - along * along));
  for (std::size_t i = 0; i < queries; ++i) {
    normalise(bank.queries[i]);
    const auto prototype = bank.prototypes[random.below(bank.prototypes.rows())];
    for (std::size_t j = 0; j < rest.columns(); ++j) {
      bank.queries[i][j] = beside * bank.queries[i][j] + static_cast<float>(along) * prototype[j];
    }
    normalise(bank.queries[i]);
  }
}

}  // namespace

std::optional<Bank> real_bank(const std::string& folder) {
  const auto support = io::read_embeddings(folder + "/support.npy");
  const auto stream = io::read_embeddings(folder + "/stream.npy");
  const auto labels = io::read_npy<std::int64_t>(folder + "/support_labels.npy");
  const auto category = io::read_npy<std::int64_t>(folder + "/expected_category.npy");
  if (!support.ok() || !stream.ok() || !labels.ok() || !category.ok()) return std::nullopt;
  const std::int64_t known = *std::max_element(labels->data.begin(), labels->data.end()) + 1;
  const std::int64_t all = *std::max_element(category->data.begin(), category->data.end()) + 1;
  const methods::SupportStatistics statistics = methods::support_statistics(*support, 1e-5);
  const std::size_t d = support->columns();
  Bank bank{folder.substr(folder.rfind('/') + 1),
            math::Matrix<float>(static_cast<std::size_t>(all - known), d),
            {}};
  math::Matrix<float>::Numbers queries;
  std::vector<float> unit(d);
  for (std::size_t i = 0; i < stream->rows(); ++i) {
    methods::standardise_row((*stream)[i], statistics.mean, statistics.deviation, unit);
    const std::int64_t c = category->data[i] - known;
    if (c < 0) continue;
    const auto prototype = bank.prototypes[static_cast<std::size_t>(c)];
    for (std::size_t j = 0; j < d; ++j) prototype[j] += unit[j];
    if (i > stream->rows() * 3 / 4) queries.insert(queries.end(), unit.begin(), unit.end());
  }
  for (std::size_t k = 0; k < bank.prototypes.rows(); ++k) normalise(bank.prototypes[k]);
  const std::size_t count = queries.size() / d;
  bank.queries = math::Matrix<float>(count, d, std::move(queries));
  return bank;
}

Bank enlarged(const Bank& real, std::size_t count, std::size_t queries) {
  Bank bank{real.name + " enlarged", combinations(real.prototypes, count, 1), {}};
  for (std::size_t k = 0; k < count; ++k) normalise(bank.prototypes[k]);
  add_queries(bank, real, queries);
  return bank;
}

Bank mixture(const Bank& real, std::size_t count, std::size_t queries) {
  constexpr int kRounds = 20;
  const std::size_t n = real.prototypes.rows(), d = real.prototypes.columns();
  math::Matrix<float> centres(kComponents, d);
  for (std::size_t c = 0; c < kComponents; ++c)
    std::copy_n(real.prototypes[c * n / kComponents].data(), d, centres[c].data());
  std::vector<std::size_t> component(n);
  for (int round = 0; round < kRounds; ++round) {
    math::Matrix<float> sums(kComponents, d);
    std::vector<float> sizes(kComponents, 0);
    math::Matrix<float> directions = centres;
    for (std::size_t c = 0; c < kComponents; ++c) normalise(directions[c]);
    for (std::size_t k = 0; k < n; ++k) {
      component[k] = nearest(directions, real.prototypes[k]);
      for (std::size_t j = 0; j < d; ++j) sums[component[k]][j] += real.prototypes[k][j];
      sizes[component[k]] += 1;
    }
    for (std::size_t c = 0; c < kComponents; ++c) {
      if (sizes[c] == 0) continue;
      for (std::size_t j = 0; j < d; ++j) centres[c][j] = sums[c][j] / sizes[c];
    }
  }
  math::Matrix<float> around(n, d);
  const float shrink = 1 / std::sqrt(static_cast<float>(n));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < d; ++j)
      around[k][j] = shrink * (real.prototypes[k][j] - centres[component[k]][j]);
  }

  Bank bank{real.name + " mixture", math::Matrix<float>(count, d), {}};
  constexpr std::size_t kAtOnce = 8192;  // the weights of all would be far more than the result
  core::Random random(7);
  for (std::size_t start = 0; start < count; start += kAtOnce) {
    const std::size_t rows = std::min(kAtOnce, count - start);
    const math::Matrix<float> made = combinations(around, rows, 100 + start);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto centre = centres[component[random.below(n)]];
      const auto row = bank.prototypes[start + i];
      for (std::size_t j = 0; j < d; ++j) row[j] = centre[j] + made[i][j];
      normalise(row);
    }
  }
  add_queries(bank, real, queries);
  return bank;
}

Bank isotropic(std::size_t dimension, std::size_t count, std::size_t queries) {
  Bank bank{"isotropic", normal_matrix(count, dimension, 1), normal_matrix(queries, dimension, 2)};
  for (std::size_t k = 0; k < count; ++k) normalise(bank.prototypes[k]);
  core::Random random(3);
  for (std::size_t i = 0; i < queries; ++i) {
    normalise(bank.queries[i]);
    const auto prototype = bank.prototypes[random.below(count)];
    for (std::size_t j = 0; j < dimension; ++j) bank.queries[i][j] += prototype[j];
    normalise(bank.queries[i]);
  }
  return bank;
}

math::Matrix<float> principal_directions(Rows<const float> rows, std::size_t m) {
  const std::size_t d = rows.columns;
  constexpr std::size_t kRows = 4096;  // enough to see the directions
  const std::size_t n = std::min(rows.rows, kRows);
  math::Matrix<float> transposed(d, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) transposed[j][i] = rows[i][j];
  }
  core::ThreadPool here;
  math::Matrix<float> basis = normal_matrix(m, d, 4), products(m, n);
  for (int round = 0; round < 12; ++round) {
    math::multiply_transposed(basis.data(), m, rows.data, n, d, products.data(), n, here);
    math::multiply_transposed(products.data(), m, transposed.data(), d, n, basis.data(), d, here);
    for (std::size_t a = 0; a < m; ++a) {
      for (int twice = 0; twice < 2; ++twice) {  // once more removes what rounding left
        for (std::size_t b = 0; b < a; ++b) {
          double product = 0;
          for (std::size_t j = 0; j < d; ++j) {
            product += static_cast<double>(basis[a][j]) * static_cast<double>(basis[b][j]);
          }
          for (std::size_t j = 0; j < d; ++j) {
            basis[a][j] -= static_cast<float>(product) * basis[b][j];
          }
        }
        normalise(basis[a]);
      }
    }
  }
  return basis;
}

}  // namespace paco::bench
