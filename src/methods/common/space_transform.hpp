// The transforms of methods with prototypes. Each begins with standardising, so it refuses exactly
// the embeddings that cannot be standardised.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "paco/method.hpp"

namespace paco::core {
class ThreadPool;
}

namespace paco::methods {

class StandardTransform : public SpaceTransform {
 public:
  explicit StandardTransform(std::shared_ptr<const Model> model);

  std::size_t dimension() const final { return mean_.size(); }
  bool apply(Rows<const double> embeddings, Rows<float> units) const override;
  Result<std::vector<float>> apply(std::span<const double> embedding) const final;
  // The reason why an embedding is refused, or nothing. The message has no row number.
  std::optional<Error> check(std::span<const double> embedding) const;
  // The same as apply() with threads; an error names the first bad row as `first_row` + its index.
  Result<void> apply(Rows<const double> embeddings, Rows<float> units, std::uint64_t first_row,
                     core::ThreadPool& pool) const;

 protected:
  // For a transform with other statistics than the model's. They must stay alive.
  StandardTransform(std::shared_ptr<const Model> model, std::span<const double> mean,
                    std::span<const double> deviation);

 private:
  std::shared_ptr<const Model> model_;
  std::span<const double> mean_, deviation_;
};

}  // namespace paco::methods
