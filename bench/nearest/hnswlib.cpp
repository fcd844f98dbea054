// Contender: hnswlib's graph, which may miss the nearest.
#include <hnswlib/hnswlib.h>

#include "contender.hpp"

namespace paco::bench {
namespace {

class Hnsw final : public Nearest {
 public:
  explicit Hnsw(Rows<const float> prototypes)
      : space_(prototypes.columns), index_(&space_, prototypes.rows, 16, 100) {
    for (std::size_t k = 0; k < prototypes.rows; ++k) index_.addPoint(prototypes[k].data(), k);
    index_.setEf(64);
  }
  std::string name() const override { return "hnswlib ef 64"; }
  bool exact() const override { return false; }
  void search(Rows<const float> queries, std::span<std::int64_t> nearest) override {
    for (std::size_t i = 0; i < queries.rows; ++i) {
      const auto found = index_.searchKnn(queries[i].data(), 1);
      nearest[i] = found.empty() ? -1 : static_cast<std::int64_t>(found.top().second);
    }
  }

 private:
  hnswlib::InnerProductSpace space_;
  hnswlib::HierarchicalNSW<float> index_;
};

}  // namespace

std::unique_ptr<Nearest> make_hnswlib(Rows<const float> prototypes) {
  return std::make_unique<Hnsw>(prototypes);
}

}  // namespace paco::bench
