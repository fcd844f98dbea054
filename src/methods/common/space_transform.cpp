#include "methods/common/space_transform.hpp"

#include <atomic>

#include "core/threads.hpp"
#include "core/try.hpp"
#include "methods/common/standardise.hpp"

namespace paco::methods {

StandardTransform::StandardTransform(std::shared_ptr<const Model> model)
    : model_(std::move(model)), mean_(model_->mean), deviation_(model_->deviation) {}

StandardTransform::StandardTransform(std::shared_ptr<const Model> model,
                                     std::span<const double> mean,
                                     std::span<const double> deviation)
    : model_(std::move(model)), mean_(mean), deviation_(deviation) {}

bool StandardTransform::apply(Rows<const double> embeddings, Rows<float> units) const {
  for (std::size_t i = 0; i < embeddings.rows; ++i) {
    if (standardise_row(embeddings[i], mean_, deviation_, units[i]) != RowFault::none) return false;
  }
  return true;
}

Result<std::vector<float>> StandardTransform::apply(std::span<const double> embedding) const {
  if (const auto fault = check(embedding)) return *fault;
  std::vector<float> unit(dimension());
  apply({embedding.data(), 1, embedding.size()}, {unit.data(), 1, unit.size()});
  return unit;
}

std::optional<Error> StandardTransform::check(std::span<const double> embedding) const {
  return sample_fault(embedding, mean_, deviation_);
}

Result<void> StandardTransform::apply(Rows<const double> embeddings, Rows<float> units,
                                      std::uint64_t first_row, core::ThreadPool& pool) const {
  PACO_TRY(check_block_shape(embeddings, dimension(), units.rows));
  constexpr std::size_t kRowsAtOnce = 64;
  std::atomic<bool> refused{false};
  if (embeddings.rows <= kRowsAtOnce) {
    refused = !apply(embeddings, units);
  } else {
    pool.parallel_for(embeddings.rows, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      const std::size_t rows = last - first;
      if (!apply(embeddings.slice(first, rows), units.slice(first, rows))) refused = true;
    });
  }
  if (!refused) return {};
  // Finds the row that failed, for the error message.
  return standardise_rows(embeddings, mean_, deviation_, units, "stream", first_row, pool);
}

}  // namespace paco::methods
