// The bounds, how many prototypes each cannot rule out, and the search that uses the best of them.
#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/gemm.hpp"
#include "math/kernels.hpp"
#include "screening.hpp"

namespace paco::bench {
namespace {

math::Matrix<float> products(Rows<const float> a, Rows<const float> b) {
  math::Matrix<float> out(a.rows, b.rows);
  core::ThreadPool here;
  math::multiply_transposed(a.data, a.rows, b.data, b.rows, a.columns, out.data(), b.rows, here);
  return out;
}

std::vector<float> tails(Rows<const float> heads) {
  std::vector<float> out;
  for (std::size_t i = 0; i < heads.rows; ++i) {
    float squared = 0;
    for (const float x : heads[i]) squared += x * x;
    // Room for the rounding of the head and of the basis.
    out.push_back(std::sqrt(std::max(0.0f, 1 - squared) + 1e-5f));
  }
  return out;
}

// Share of pairs whose upper bound reaches the bar of their query.
template <class Upper>
double share(std::size_t queries, std::size_t prototypes, const std::vector<float>& bars,
             Upper upper) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t k = 0; k < prototypes; ++k) left += upper(i, k) >= bars[i] ? 1u : 0u;
  }
  return static_cast<double>(left) / static_cast<double>(queries * prototypes);
}

math::Matrix<float> columns_of(const math::Matrix<float>& rows, std::size_t count) {
  math::Matrix<float> out(rows.rows(), count);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::copy_n(rows[i].data(), count, out[i].data());
  }
  return out;
}

double head_share(const math::Matrix<float>& query_heads,
                  const math::Matrix<float>& prototype_heads, const std::vector<float>& bars) {
  const math::Matrix<float> values = products(query_heads, prototype_heads);
  const std::vector<float> of_query = tails(query_heads), of_prototype = tails(prototype_heads);
  return share(values.rows(), values.columns(), bars, [&](std::size_t i, std::size_t k) {
    return values[i][k] + of_query[i] * of_prototype[k];
  });
}

// Rows rounded to 8 bits, and how long the difference is.
std::pair<math::Matrix<float>, std::vector<float>> rounded_to_bytes(
    const math::Matrix<float>& rows) {
  math::Matrix<float> out(rows.rows(), rows.columns());
  std::vector<float> errors;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    float largest = 0, squared = 0;
    for (const float x : rows[i]) largest = std::max(largest, std::abs(x));
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      out[i][j] = std::round(rows[i][j] / largest * 127) * largest / 127;
      squared += (out[i][j] - rows[i][j]) * (out[i][j] - rows[i][j]);
    }
    errors.push_back(std::sqrt(squared));
  }
  return {std::move(out), std::move(errors)};
}

// The two largest of exact scores, offered in ascending order of index.
struct Best {
  Pair index{-1, -1};
  double first = -2, second = -2;

  void offer(std::int64_t k, double score) {
    if (score > first) {
      second = first;
      index[1] = index[0];
      first = score;
      index[0] = k;
    } else if (score > second) {
      second = score;
      index[1] = k;
    }
  }
};

}  // namespace

Survivors survivors(const Bank& bank, int places) {
  const std::size_t q = bank.queries.rows(), k = bank.prototypes.rows(), d = bank.queries.columns();
  const math::Matrix<float> cosines = products(bank.queries, bank.prototypes);
  std::vector<float> bars;
  for (std::size_t i = 0; i < q; ++i) {
    std::vector<float> row(cosines[i].begin(), cosines[i].end());
    std::nth_element(row.begin(), row.begin() + (places - 1), row.end(), std::greater<>());
    bars.push_back(row[static_cast<std::size_t>(places - 1)] - 1e-5f);
  }
  Survivors out;
  const std::size_t pivots = std::min<std::size_t>(64, k);
  const Rows<const float> pivot_rows = bank.prototypes.view().slice(0, pivots);
  math::Matrix<float> query_angles = products(bank.queries, pivot_rows);
  math::Matrix<float> prototype_angles = products(bank.prototypes, pivot_rows);
  for (math::Matrix<float>* angles : {&query_angles, &prototype_angles}) {
    for (std::size_t i = 0; i < angles->rows() * pivots; ++i) {
      angles->data()[i] = std::acos(std::clamp(angles->data()[i], -1.0f, 1.0f));
    }
  }
  out.pivots = share(q, k, bars, [&](std::size_t i, std::size_t j) {
    float apart = 0;
    for (std::size_t p = 0; p < pivots; ++p) {
      apart = std::max(apart, std::abs(query_angles[i][p] - prototype_angles[j][p]));
    }
    return std::cos(apart);
  });
  out.plain_head =
      head_share(columns_of(bank.queries, d / 4), columns_of(bank.prototypes, d / 4), bars);
  const auto with_basis = [&](std::size_t m) {
    const math::Matrix<float> basis = principal_directions(bank.prototypes, m);
    return head_share(products(bank.queries, basis), products(bank.prototypes, basis), bars);
  };
  out.head_eighth = with_basis(d / 8);
  out.head_quarter = with_basis(d / 4);
  const auto [query_bytes, query_errors] = rounded_to_bytes(bank.queries);
  const auto [prototype_bytes, prototype_errors] = rounded_to_bytes(bank.prototypes);
  const math::Matrix<float> rounded = products(query_bytes, prototype_bytes);
  out.int8 = share(q, k, bars, [&](std::size_t i, std::size_t j) {
    return rounded[i][j] + query_errors[i] + 1.02f * prototype_errors[j];
  });
  return out;
}

void full_search(const Bank& bank, std::size_t block, std::span<Pair> found) {
  const std::size_t k = bank.prototypes.rows(), d = bank.prototypes.columns();
  core::ThreadPool here;
  std::vector<float> table(block * k);
  std::vector<math::Candidate> candidates;
  for (std::size_t start = 0; start < found.size(); start += block) {
    const std::size_t rows = std::min(block, found.size() - start);
    if (rows == 1) {
      math::screen_rows(bank.prototypes.data(), k, bank.queries[start].data(), d, table.data());
    } else {
      math::multiply_transposed(bank.queries[start].data(), rows, bank.prototypes.data(), k, d,
                                table.data(), k, here);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      math::PrefilterScores scores;
      scores.products = table.data() + i * k;
      scores.count = k;
      scores.constant_error = static_cast<float>(math::screen_error(d));
      math::prefilter_best(scores, 2, candidates);
      Best best;
      for (const math::Candidate& c : candidates) {
        best.offer(c.index,
                   math::dot(bank.prototypes[c.index].data(), bank.queries[start + i].data(), d));
      }
      found[start + i] = best.index;
    }
  }
}

HeadSearch::HeadSearch(const Bank& bank, std::size_t m)
    : bank_(bank),
      basis_(principal_directions(bank.prototypes, m)),
      heads_(products(bank.prototypes, basis_)),
      tails_(tails(heads_)) {}

std::size_t HeadSearch::search(std::size_t block, std::span<Pair> found) {
  const std::size_t k = heads_.rows(), m = heads_.columns(), d = basis_.columns();
  core::ThreadPool here;
  std::vector<float> table(block * k);
  math::Matrix<float> query_heads(block, m);
  std::size_t exact = 0;
  for (std::size_t start = 0; start < found.size(); start += block) {
    const std::size_t rows = std::min(block, found.size() - start);
    math::multiply_transposed(bank_.queries[start].data(), rows, basis_.data(), m, d,
                              query_heads.data(), m, here);
    const std::vector<float> query_tails = tails(query_heads.view().slice(0, rows));
    if (rows == 1) {
      math::screen_rows(heads_.data(), k, query_heads.data(), m, table.data());
    } else {
      math::multiply_transposed(query_heads.data(), rows, heads_.data(), k, m, table.data(), k,
                                here);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      found[start + i] = settle(start + i, table.data() + i * k, query_tails[i], exact);
    }
  }
  return exact;
}

// The two with the largest head products give a bar that no lower bound could: exact cosines.
// Whoever cannot reach it by the head and the lengths of the tails is out.
Pair HeadSearch::settle(std::size_t query, const float* values, float tail, std::size_t& exact) {
  const std::size_t k = heads_.rows(), d = basis_.columns();
  math::PrefilterScores scores;
  scores.products = values;
  scores.count = k;
  math::prefilter_best(scores, 2, best_heads_);
  const auto cosine = [&](std::size_t c) {
    ++exact;
    return math::dot(bank_.prototypes[c].data(), bank_.queries[query].data(), d);
  };
  Best first;
  for (const math::Candidate& c : best_heads_) first.offer(c.index, cosine(c.index));
  // value + tail * tails[k] >= bar, as one screening: values with an upper bound alone.
  const auto bar = static_cast<float>(first.second) - 1e-5f;
  candidates_.clear();
  constexpr std::size_t kStep = 16;
  for (std::size_t c = 0; c < k; c += kStep) {
    const std::size_t end = std::min(k, c + kStep);
    bool any = false;
    for (std::size_t j = c; j < end; ++j) any |= values[j] + tail * tails_[j] >= bar;
    if (!any) continue;
    for (std::size_t j = c; j < end; ++j) {
      if (values[j] + tail * tails_[j] >= bar) candidates_.push_back(static_cast<std::uint32_t>(j));
    }
  }
  Best best;
  for (const std::uint32_t c : candidates_) best.offer(c, cosine(c));
  return best.index;
}

}  // namespace paco::bench
