// The bare nearest-prototype step: which of K fixed directions is closest? Only a part of a
// decision (no thresholds, no memory that moves), but one that well-known libraries do too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "math/matrix.hpp"

namespace paco::bench {

class Nearest {
 public:
  virtual ~Nearest() = default;
  virtual std::string name() const = 0;
  virtual bool exact() const { return true; }
  // Index of the nearest prototype for each query, all at once.
  virtual void search(Rows<const float> queries, std::span<std::int64_t> nearest) = 0;
};

// prototypes is (K, d), unit rows, and outlives the contender.
std::unique_ptr<Nearest> make_paco(Rows<const float> prototypes);
std::unique_ptr<Nearest> make_faiss_flat(Rows<const float> prototypes);
std::unique_ptr<Nearest> make_hnswlib(Rows<const float> prototypes);

}  // namespace paco::bench
