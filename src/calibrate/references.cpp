#include "calibrate/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "linalg/gemm.hpp"
#include "linalg/kernels.hpp"
#include "linalg/plain.hpp"

namespace paco {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// The two largest of a handful of scores, offered in ascending order of class id.
struct TopTwo {
  std::int64_t index = -1;
  double first = kNone;
  double second = kNone;

  void offer(std::int64_t k, double score) {
    if (score > first) {
      second = first;
      first = score;
      index = k;
    } else if (score > second) {
      second = score;
    }
  }
};

// `normalised` = float32 of row / |row|; false where the row has no direction.
bool normalise(std::span<const double> row, std::span<float> normalised) {
  const double length = std::sqrt(dot(row.data(), row.data(), row.size()));
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (std::size_t i = 0; i < row.size(); ++i) normalised[i] = static_cast<float>(row[i] / length);
  return true;
}

BankView view_of(std::int64_t label, std::span<const std::uint32_t> candidates,
                 auto&& cosine_with) {
  TopTwo open, masked;
  for (const std::uint32_t k : candidates) {
    const double cosine = cosine_with(k);
    open.offer(k, cosine);
    if (static_cast<std::int64_t>(k) != label) masked.offer(k, cosine);
  }
  return {open.index, open.first, open.second, masked.first, masked.second};
}

}  // namespace

Result<Matrix<float>> class_prototypes(Rows<const float> units,
                                       std::span<const std::int64_t> labels,
                                       std::span<const std::string> class_names) {
  const std::size_t d = units.columns;
  Matrix<double> sums(class_names.size(), d);
  for (std::size_t i = 0; i < units.rows; ++i) {
    const auto unit = units[i];
    const auto sum = sums[static_cast<std::size_t>(labels[i])];
    for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(unit[j]);
  }
  Matrix<float> bank(class_names.size(), d);
  for (std::size_t k = 0; k < class_names.size(); ++k) {
    if (normalise(sums[k], bank[k])) continue;
    return Error{
        ErrorCode::bad_value,
        fmt::format("support set: the samples of class '{}' cancel each other, it has no prototype",
                    class_names[k]),
        "check the labels of that class"};
  }
  return bank;
}

Result<Matrix<float>> classifier_references(Rows<const double> classifier,
                                            std::span<const double> deviation,
                                            std::span<const std::string> class_names) {
  Matrix<float> bank(classifier.rows, classifier.columns);
  std::vector<double> row(classifier.columns);
  for (std::size_t k = 0; k < classifier.rows; ++k) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = classifier[k][j] / deviation[j];
    if (normalise(row, bank[k])) continue;
    return Error{
        ErrorCode::bad_value,
        fmt::format("classifier: row {} (class '{}') is zero or not finite", k, class_names[k]),
        "export the weights of the trained classifier again, or calibrate without it"};
  }
  return bank;
}

std::vector<BankView> view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                const Matrix<float>& bank, ThreadPool& pool) {
  const std::size_t d = units.columns;
  const std::size_t classes = bank.rows();
  const auto error = static_cast<float>(screen_error(d));
  constexpr std::size_t kRows = 256;
  std::vector<BankView> views(units.rows);
  pool.parallel_for(units.rows, kRows, [&](std::size_t first, std::size_t last) {
    ThreadPool here;
    std::vector<float> products((last - first) * classes);
    multiply_transposed(units.data + first * d, last - first, bank.data(), classes, d,
                        products.data(), classes, here);
    std::vector<std::uint32_t> candidates;
    for (std::size_t i = first; i < last; ++i) {
      ScreenedScores scores;
      scores.products = products.data() + (i - first) * classes;
      scores.count = classes;
      scores.constant_error = error;
      // The best three hold the best two, and the best two without any one class.
      screen_best(scores, 3, -1, candidates);
      views[i] = view_of(labels[i], candidates,
                         [&](std::uint32_t k) { return dot(bank[k].data(), units[i].data(), d); });
    }
  });
  return views;
}

std::vector<BankView> plain_view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                      const Matrix<float>& bank) {
  std::vector<std::uint32_t> everyone(bank.rows());
  for (std::size_t k = 0; k < everyone.size(); ++k) everyone[k] = static_cast<std::uint32_t>(k);
  std::vector<BankView> views(units.rows);
  for (std::size_t i = 0; i < units.rows; ++i) {
    views[i] = view_of(labels[i], everyone, [&](std::uint32_t k) {
      return plain::dot(bank[k].data(), units[i].data(), units.columns);
    });
  }
  return views;
}

ReferenceQuality bank_quality(std::span<const BankView> views,
                              std::span<const std::int64_t> labels) {
  std::size_t hits = 0;
  double margins = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    hits += views[i].nearest == labels[i] ? 1u : 0u;
    margins += views[i].top - views[i].second;
  }
  const auto n = static_cast<double>(views.size());
  return {true, static_cast<double>(hits) / n, margins / n};
}

}  // namespace paco
