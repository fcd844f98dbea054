// One random case of the laws: data, options and model, all from a seed.
#pragma once

#include "made_data.hpp"

namespace paco::testing {

struct LawCase {
  MadeData data;
  CalibrationOptions options;
  std::shared_ptr<const Model> model;
};

inline LawCase law_case(std::uint64_t seed) {
  LawCase c{make_data(varied_plan(seed), seed), varied_options(seed), nullptr};
  // Copies and opposites of earlier samples: exact ties, kappa's clamp, sums that cancel.
  if (seed % 3 == 0) {
    Random random(seed, 3);
    for (std::size_t i = 1; i < c.data.stream.rows(); i += 4) {
      const auto other = c.data.stream[random.below(i)];
      std::copy(other.begin(), other.end(), c.data.stream[i].begin());
    }
  }
  c.model = calibrated(c.data.support_set(), c.options);
  return c;
}

inline std::string saved(const Method& method) {
  const auto bytes = method.save();
  EXPECT_TRUE(bytes.ok());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace paco::testing
