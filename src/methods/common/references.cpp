#include "methods/common/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"
#include "math/plain.hpp"
#include "math/prefilter.hpp"
#include "math/rerank.hpp"
#include "methods/common/work_done.hpp"

namespace paco::methods {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// The two largest of a handful of scores; the lowest class id wins a tie.
struct TopTwo {
  std::int64_t index = -1;
  double first = kNone;
  double second = kNone;

  void offer(std::int64_t k, double score) {
    if (score > first || (score == first && k < index)) {
      second = first;
      first = score;
      index = k;
    } else if (score > second) {
      second = score;
    }
  }
};

// Scores of a sample: with all classes, and without its own class.
struct TwoViews {
  std::int64_t label = 0;
  TopTwo open, masked;

  void offer(std::int64_t k, double cosine) {
    open.offer(k, cosine);
    if (k != label) masked.offer(k, cosine);
  }
  BankView result() const {
    return {open.index, open.first, open.second, masked.first, masked.second};
  }
};

// `normalised` = float32 of row / |row|. Returns false if the row has no direction.
bool normalise(std::span<const double> row, std::span<float> normalised) {
  const double length = std::sqrt(math::dot(row.data(), row.data(), row.size()));
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (std::size_t i = 0; i < row.size(); ++i) normalised[i] = static_cast<float>(row[i] / length);
  return true;
}

}  // namespace

Result<math::Matrix<float>> class_prototypes(Rows<const float> units,
                                             std::span<const std::int64_t> labels,
                                             std::span<const std::string> class_names) {
  const std::size_t d = units.columns;
  math::Matrix<double> sums(class_names.size(), d);
  for (std::size_t i = 0; i < units.rows; ++i) {
    math::accumulate(sums[static_cast<std::size_t>(labels[i])].data(), units[i].data(), d);
  }
  math::Matrix<float> bank(class_names.size(), d);
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

Result<math::Matrix<float>> classifier_references(Rows<const double> classifier,
                                                  std::span<const double> deviation,
                                                  std::span<const std::string> class_names) {
  math::Matrix<float> bank(classifier.rows, classifier.columns);
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
                                const math::Matrix<float>& bank, core::ThreadPool& pool,
                                WorkDone& work) {
  const std::size_t d = units.columns;
  const std::size_t classes = bank.rows();
  const math::Prefilter screen(bank.view(), math::best_screen_format(d));
  // Fewer rows at once if there are many classes, so that the table of products stays in cache.
  const std::size_t rows = std::clamp<std::size_t>((std::size_t{1} << 20) / classes, 16, 256);
  std::vector<BankView> views(units.rows);
  pool.parallel_for(units.rows, rows, [&](std::size_t first, std::size_t last) {
    if (work.stopped()) return;
    core::ThreadPool here;
    math::SampleBlock samples;
    samples.assign(units.slice(first, last - first), screen.format());
    std::vector<float> products(samples.rows() * classes);
    screen.multiply(samples, products.data(), classes, here);
    std::vector<math::Candidate> candidates;
    for (std::size_t i = first; i < last; ++i) {
      const math::PrefilterScores scores = screen.screened_cosines(
          {products.data() + (i - first) * classes, samples.error(i - first)});
      // The best three always contain the best two, and the best two if any one class is left out.
      math::prefilter_best(scores, 3, candidates);
      TwoViews seen{labels[i], {}, {}};
      math::rerank_best(
          candidates, [&] { return seen.masked.second; },
          [&](std::size_t k) {
            seen.offer(static_cast<std::int64_t>(k), math::dot(bank[k].data(), units[i].data(), d));
          });
      views[i] = seen.result();
    }
    work.add(last - first);
  });
  return views;
}

std::vector<BankView> plain_view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                      const math::Matrix<float>& bank) {
  std::vector<BankView> views(units.rows);
  for (std::size_t i = 0; i < units.rows; ++i) {
    TwoViews seen{labels[i], {}, {}};
    for (std::size_t k = 0; k < bank.rows(); ++k) {
      seen.offer(static_cast<std::int64_t>(k),
                 math::plain::dot(bank[k].data(), units[i].data(), units.columns));
    }
    views[i] = seen.result();
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

}  // namespace paco::methods
