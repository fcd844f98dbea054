// Contender: faiss's exact index of inner products.
// clang-format off: faiss 1.7.3 uses uint8_t without including it, so this header comes first.
#include <stdint.h>
// clang-format on

#include <faiss/IndexFlat.h>
#include <omp.h>

#include "contender.hpp"

namespace paco::bench {
namespace {

class FaissFlat final : public Nearest {
 public:
  explicit FaissFlat(Rows<const float> prototypes)
      : index_(static_cast<faiss::Index::idx_t>(prototypes.columns)) {
    omp_set_num_threads(1);
    index_.add(static_cast<faiss::Index::idx_t>(prototypes.rows), prototypes.data);
  }
  std::string name() const override { return "faiss flat"; }
  // Float32 throughout: two prototypes closer than its rounding may come out in the wrong order.
  void search(Rows<const float> queries, std::span<std::int64_t> nearest) override {
    distances_.resize(queries.rows);
    index_.search(static_cast<faiss::Index::idx_t>(queries.rows), queries.data, 1,
                  distances_.data(), nearest.data());
  }

 private:
  faiss::IndexFlatIP index_;
  std::vector<float> distances_;
};

}  // namespace

std::unique_ptr<Nearest> make_faiss_flat(Rows<const float> prototypes) {
  return std::make_unique<FaissFlat>(prototypes);
}

}  // namespace paco::bench
