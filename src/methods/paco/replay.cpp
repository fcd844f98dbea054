#include "methods/paco/replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/plain.hpp"
#include "math/rerank.hpp"
#include "methods/common/block_products.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/common/work_done.hpp"

namespace paco::methods {
namespace {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();

void record(ReplayScores& scores, bool class_is_there, double attach, double cosine) {
  (class_is_there ? scores.attach_positives : scores.attach_negatives).push_back(attach);
  (class_is_there ? scores.cosine_positives : scores.cosine_negatives).push_back(cosine);
}

// The memory of one pass. Prototypes are in order of first appearance; slots maps a class to its
// prototype.
class EpisodicMemory {
 public:
  EpisodicMemory(std::size_t dimension, const ReplayPlan& plan)
      : plan_(plan), prototypes_(dimension, BlockProducts::kMaxRows), slots_(plan.classes, -1) {}

  PrototypeSet& prototypes() { return prototypes_; }
  bool holds(std::int64_t label) const { return slots_[static_cast<std::size_t>(label)] >= 0; }

  std::size_t add(const float* unit, float sample_error, std::int64_t label) {
    std::int64_t& slot = slots_[static_cast<std::size_t>(label)];
    if (slot < 0) {
      slot = static_cast<std::int64_t>(prototypes_.add(unit, sample_error));
    } else {
      prototypes_.join(static_cast<std::size_t>(slot), unit, sample_error);
    }
    return static_cast<std::size_t>(slot);
  }

  double best_attach_score(const float* unit, const math::PrefilterRow& row) {
    return best(prototypes_.screened_attach_scores(row), -plan_.log_p0, [&](std::size_t k) {
      return attach_score(prototypes_.cosine(k, unit), prototypes_.members(k),
                          prototypes_.concentration(k), plan_.log_p0);
    });
  }

  double best_cosine(const float* unit, const math::PrefilterRow& row) {
    return best(prototypes_.screened_cosines(row), 0,
                [&](std::size_t k) { return prototypes_.cosine(k, unit); });
  }

 private:
  // The largest exact score; it is what was screened plus `shift`.
  template <class Exact>
  double best(const math::PrefilterScores& scores, double shift, Exact exact) {
    math::prefilter_best(scores, 1, candidates_);
    double largest = kNoScore;
    math::rerank_best(
        candidates_, [&] { return largest - shift; },
        [&](std::size_t k) { largest = std::max(largest, exact(k)); });
    return largest;
  }

  const ReplayPlan& plan_;
  PrototypeSet prototypes_;
  std::vector<std::int64_t> slots_;
  std::vector<math::Candidate> candidates_;
};

}  // namespace

bool ReplayPlan::scores(std::size_t place, std::size_t samples) const {
  if (scored >= samples) return true;
  const std::size_t runs = (samples + kRun - 1) / kRun;
  const std::size_t wanted = std::max<std::size_t>(1, scored / kRun), run = place / kRun;
  return (run + 1) * wanted / runs > run * wanted / runs;
}

ReplayScores replay(Rows<const float> units, std::span<const std::int64_t> labels,
                    const ReplayPlan& plan, core::ThreadPool& pool, WorkDone& work) {
  const std::size_t d = units.columns;
  static_assert(ReplayPlan::kRun <= BlockProducts::kMaxRows);
  core::NumpyLegacyRandom random(plan.seed);
  std::vector<std::vector<std::size_t>> orders;
  for (int pass = 0; pass < plan.passes; ++pass) orders.push_back(random.permutation(units.rows));

  // Passes are independent, so each can run on its own thread.
  std::vector<ReplayScores> passes(orders.size());
  pool.parallel_for(orders.size(), 1, [&](std::size_t first, std::size_t last) {
    core::ThreadPool here;
    for (std::size_t pass = first; pass < last; ++pass) {
      const std::span<const std::size_t> order = orders[pass];
      EpisodicMemory memory(d, plan);
      BlockProducts products;
      math::SampleBlock block;
      std::size_t rows = 0;
      for (std::size_t start = 0; start < units.rows && !work.stopped(); start += rows) {
        rows = std::min({ReplayPlan::kRun - start % ReplayPlan::kRun,
                         BlockProducts::good_rows(memory.prototypes().size()), units.rows - start});
        block.assign(units, order.subspan(start, rows), memory.prototypes().copies().format());
        const bool is_scored = plan.scores(start, units.rows);
        if (is_scored) products.begin(block, memory.prototypes(), here);
        for (std::size_t i = 0; i < rows; ++i) {
          const float* unit = units[order[start + i]].data();
          const std::int64_t label = labels[order[start + i]];
          if (!is_scored) {
            memory.add(unit, block.error(i), label);
            continue;
          }
          const math::PrefilterRow row = products.row(i);
          if (start + i > 0) {
            record(passes[pass], memory.holds(label), memory.best_attach_score(unit, row),
                   memory.best_cosine(unit, row));
          }
          products.added(i, memory.add(unit, row.error, label));
        }
        work.add(rows);
      }
    }
  });

  ReplayScores all;
  for (const ReplayScores& pass : passes) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.attach_positives, pass.attach_positives);
    append(all.attach_negatives, pass.attach_negatives);
    append(all.cosine_positives, pass.cosine_positives);
    append(all.cosine_negatives, pass.cosine_negatives);
  }
  return all;
}

ReplayScores plain_replay(Rows<const float> units, std::span<const std::int64_t> labels,
                          const ReplayPlan& plan) {
  const std::size_t d = units.columns;
  core::NumpyLegacyRandom random(plan.seed);
  ReplayScores scores;
  for (int pass = 0; pass < plan.passes; ++pass) {
    math::Matrix<double> sums(plan.classes, d);
    std::vector<std::int64_t> sizes(plan.classes, 0);
    std::size_t place = 0;
    for (const std::size_t i : random.permutation(units.rows)) {
      const auto unit = units[i];
      const auto label = static_cast<std::size_t>(labels[i]);
      double attach = kNoScore, cosine = kNoScore;
      for (std::size_t k = 0; k < plan.classes; ++k) {
        if (sizes[k] == 0) continue;
        const double length = std::sqrt(math::plain::dot(sums[k].data(), sums[k].data(), d));
        const double with_k =
            length > 0 ? math::plain::dot(sums[k].data(), unit.data(), d) / length : 0;
        cosine = std::max(cosine, with_k);
        attach = std::max(attach, attach_score(with_k, sizes[k], concentration(length, sizes[k], d),
                                               plan.log_p0));
      }
      if (place > 0 && plan.scores(place, units.rows))
        record(scores, sizes[label] > 0, attach, cosine);
      ++place;
      for (std::size_t j = 0; j < d; ++j) sums[label][j] += static_cast<double>(unit[j]);
      ++sizes[label];
    }
  }
  return scores;
}

}  // namespace paco::methods
