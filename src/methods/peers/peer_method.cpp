#include "methods/peers/peer_method.hpp"

#include <algorithm>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/standardise.hpp"

namespace paco::methods {

PeerMethod::PeerMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                       const MethodOptions& options)
    : MethodBase(info, model, options.settings),
      pool_(static_cast<unsigned>(options.threads)),
      seen_(seen_by(*model->section(info.section).value())) {}

Result<void> PeerMethod::decide_block(Rows<const double> embeddings,
                                      std::span<Decision> decisions) {
  constexpr std::size_t kRows = 512;  // so that a long block needs no more memory than this
  PACO_TRY(check_block_shape(embeddings, model().dimension, decisions.size()));
  for (std::size_t i = 0; i < embeddings.rows; ++i) {
    if (!check(embeddings[i])) continue;
    // Repeats the check to get the error with the row number. Nothing has been decided.
    math::Matrix<float> unused(embeddings.rows, embeddings.columns);
    return space().apply(embeddings, unused.view(), samples(), pool_);
  }
  for (std::size_t start = 0; start < embeddings.rows; start += kRows) {
    const std::size_t rows = std::min(kRows, embeddings.rows - start);
    units_ = math::Matrix<float>(rows, embeddings.columns);
    PACO_TRY(space().apply(embeddings.slice(start, rows), units_.view(), samples(), pool_));
    if (seen_ == Seen::standardised) {
      look(units_);
    } else {
      seen_rows_ = as_seen(embeddings.slice(start, rows), seen_);
      look(seen_rows_);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      Decision& decision = decisions[start + i];
      decision = Decision{};
      const BestTwo nearest = has_gate() ? nearest_known(units_[i]) : BestTwo{};
      if (passes_gate(nearest)) {
        answer_by_gate(nearest, decision);
        complete(decision);
        continue;
      }
      choose(i, decision);
      complete(decision);
      joined(i, decision);
    }
  }
  return {};
}

// Compares in the space of the model's references, which every peer has in addition to its own
// space.
BestTwo PeerMethod::nearest_known(std::span<const float> unit) const {
  BestTwo best;
  for (PrototypeId id = 0; id < known(); ++id) {
    if (!table()[id].competing()) continue;
    best.offer(
        id, math::dot(references()[static_cast<std::size_t>(id)].data(), unit.data(), unit.size()));
  }
  return best;
}

}  // namespace paco::methods
