// The computations behind insight.hpp: suggestions (diagnostics.cpp) and warnings (warnings.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "insight/insight.hpp"

namespace paco::insight {

class Diagnostics {
 public:
  // Adds to `out`. Both arguments must stay alive while this is used.
  Diagnostics(const StreamFacts& facts, Insight& out) : facts_(facts), out_(out) {}

  void suggest();
  void warn();

 private:
  struct Mean {
    double value = 0, squared_error = 0;
  };

  // Suggestions.
  void merges();
  void unnamed_categories();
  void close_decisions();
  // Warnings.
  void births();
  void falling_known_classes();

  std::string name(CategoryId id) const { return facts_.view->categories.name(id); }
  bool is_named(CategoryId id) const;
  std::optional<Mean> mean_evidence(std::span<const std::uint64_t> samples,
                                    std::size_t field) const;

  const StreamFacts& facts_;
  Insight& out_;
};

}  // namespace paco::insight
