#include <algorithm>

#include "base/threads.hpp"
#include "contender.hpp"
#include "linalg/gemm.hpp"
#include "linalg/kernels.hpp"

namespace paco::bench {
namespace {

// Float32 products narrow the candidates down, double settles: the engine's way, exact to the last
// bit.
class Paco final : public Nearest {
 public:
  explicit Paco(Rows<const float> prototypes) : prototypes_(prototypes) {}
  std::string name() const override { return "paco"; }

  void search(Rows<const float> queries, std::span<std::int64_t> nearest) override {
    const std::size_t k = prototypes_.rows, d = prototypes_.columns;
    const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 20) / k, 16, 128);
    products_.resize(at_once * k);
    for (std::size_t start = 0; start < queries.rows; start += at_once) {
      const std::size_t rows = std::min(at_once, queries.rows - start);
      if (rows == 1) {
        screen_rows(prototypes_.data, k, queries[start].data(), d, products_.data());
      } else {
        multiply_transposed(queries[start].data(), rows, prototypes_.data, k, d, products_.data(),
                            k, pool_);
      }
      for (std::size_t i = 0; i < rows; ++i) {
        nearest[start + i] = settle(queries[start + i].data(), products_.data() + i * k);
      }
    }
  }

 private:
  std::int64_t settle(const float* query, const float* products) {
    const std::size_t d = prototypes_.columns;
    ScreenedScores scores;
    scores.products = products;
    scores.count = prototypes_.rows;
    scores.constant_error = static_cast<float>(screen_error(d));
    screen_best(scores, 1, -1, candidates_);
    std::int64_t best = -1;
    double best_cosine = -2;
    for (const std::uint32_t c : candidates_) {
      const double cosine = dot(prototypes_[c].data(), query, d);
      if (cosine > best_cosine) {
        best_cosine = cosine;
        best = c;
      }
    }
    return best;
  }

  Rows<const float> prototypes_;
  ThreadPool pool_;
  std::vector<float> products_;
  std::vector<std::uint32_t> candidates_;
};

}  // namespace

std::unique_ptr<Nearest> make_paco(Rows<const float> prototypes) {
  return std::make_unique<Paco>(prototypes);
}

}  // namespace paco::bench
