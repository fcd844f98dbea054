// Contender: screening and settling as decisions use them, exact.
#include <algorithm>

#include "contender.hpp"
#include "core/threads.hpp"
#include "math/prefilter.hpp"
#include "math/rerank.hpp"

namespace paco::bench {
namespace {

// Approximate products narrow the candidates down, double settles: the engine's way, exact to the
// last bit.
class Paco final : public Nearest {
 public:
  explicit Paco(Rows<const float> prototypes)
      : prototypes_(prototypes), bank_(prototypes, math::best_screen_format(prototypes.columns)) {}
  std::string name() const override { return "paco"; }

  void search(Rows<const float> queries, std::span<std::int64_t> nearest) override {
    const std::size_t k = prototypes_.rows;
    const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 20) / k, 16, 128);
    products_.resize(at_once * k);
    for (std::size_t start = 0; start < queries.rows; start += at_once) {
      const Rows<const float> rows = queries.slice(start, std::min(at_once, queries.rows - start));
      block_.assign(rows, bank_.format());
      bank_.multiply(block_, products_.data(), k, pool_);
      for (std::size_t i = 0; i < rows.rows; ++i) {
        nearest[start + i] = settle(rows[i].data(), {products_.data() + i * k, block_.error(i)});
      }
    }
  }

 private:
  std::int64_t settle(const float* query, const math::PrefilterRow& row) {
    math::prefilter_best(bank_.screened_cosines(row), 1, candidates_);
    std::int64_t best = -1;
    double best_cosine = -2;
    math::rerank_best(
        candidates_, [&] { return best_cosine; },
        [&](std::size_t c) {
          const double cosine = math::dot(prototypes_[c].data(), query, prototypes_.columns);
          const auto id = static_cast<std::int64_t>(c);
          if (cosine < best_cosine || (cosine == best_cosine && best < id)) return;
          best_cosine = cosine;
          best = id;
        });
    return best;
  }

  Rows<const float> prototypes_;
  math::Prefilter bank_;
  math::SampleBlock block_;
  core::ThreadPool pool_;
  std::vector<float> products_;
  std::vector<math::Candidate> candidates_;
};

}  // namespace

std::unique_ptr<Nearest> make_paco(Rows<const float> prototypes) {
  return std::make_unique<Paco>(prototypes);
}

}  // namespace paco::bench
