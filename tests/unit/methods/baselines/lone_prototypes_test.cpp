// The two lowest of those that are alone, whoever begins and whoever ceases to be.
#include "methods/baselines/lone_prototypes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/random.hpp"

namespace paco::methods {
namespace {

TEST(LonePrototypes, AreTheTwoLowestThatASetWouldGive) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    core::Random random(seed);
    LonePrototypes lone;
    std::set<PrototypeId> alone;
    PrototypeId next = 0;
    for (int step = 0; step < 300; ++step) {
      if (random.below(2) == 0) {
        next += 1 + static_cast<PrototypeId>(random.below(3));
        lone.begins(next);
        alone.insert(next);
      } else if (!alone.empty()) {
        auto leaving = alone.begin();
        std::advance(leaving, random.below(std::min<std::size_t>(alone.size(), 4)));
        alone.erase(leaving);
      }
      if (random.below(3) == 0) continue;  // not everybody asks every time
      const auto found = lone.lowest([&](PrototypeId id) { return alone.contains(id); });
      std::array<PrototypeId, 2> expected = {LonePrototypes::kNone, LonePrototypes::kNone};
      auto at = alone.begin();
      for (PrototypeId& id : expected) {
        if (at != alone.end()) id = *at++;
      }
      ASSERT_EQ(found, expected) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace paco::methods
