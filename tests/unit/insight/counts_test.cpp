// What is kept beside a journal: members page by page, and the steps of a stream.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.hpp"
#include "insight/member_index.hpp"
#include "insight/series.hpp"

namespace paco::insight {
namespace {

TEST(MemberIndex, PagesGiveEveryMemberOnceWhateverWasMoved) {
  core::Random random(3);
  MemberIndex index;
  std::vector<PrototypeId> place;
  for (std::uint64_t i = 0; i < 500; ++i) {
    place.push_back(static_cast<PrototypeId>(random.below(5)));
    index.add(i, place.back());
  }
  for (int i = 0; i < 100; ++i) {
    Edit edit;
    edit.cell = Edit::Cell::member;
    edit.id = static_cast<std::int64_t>(random.below(500));
    edit.from = place[static_cast<std::size_t>(edit.id)];
    edit.to = place[static_cast<std::size_t>(edit.id)] = static_cast<PrototypeId>(random.below(7));
    index.apply({&edit, 1});
  }
  const std::vector<PrototypeId> some{1, 4, 6};
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 500; ++i) {
    if (std::find(some.begin(), some.end(), place[i]) != some.end()) expected.push_back(i);
  }
  EXPECT_EQ(index.count(some), expected.size());
  std::vector<std::uint64_t> seen;
  for (std::uint64_t from = 0;;) {
    const auto page = index.page(some, from, 13, false);
    if (page.empty()) break;
    seen.insert(seen.end(), page.begin(), page.end());
    from = page.back() + 1;
  }
  EXPECT_EQ(seen, expected);
  const auto newest = index.page(some, ~std::uint64_t{0}, 10, true);
  EXPECT_TRUE(std::equal(newest.begin(), newest.end(), expected.rbegin()));
}

TEST(Series, StepsAddUpToTheStreamForAnyLength) {
  Series series({{"branch", "", "", {"a", "b"}}, {"score", "score", ""}});
  Decision decision;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    decision.sequence = i;
    decision.verdict = i % 10 == 0 ? Verdict::created : Verdict::known;
    decision.evidence[0] = static_cast<double>(i % 2);
    decision.evidence[1] = i % 3 == 0 ? kNotComputed : 2.0;
    series.add(decision);
    const auto steps = series.steps();
    ASSERT_LE(steps.size(), Series::kSteps);
    if (i % 500 != 499) continue;
    std::uint64_t count = 0, created = 0, choices = 0;
    for (const SeriesStep& step : steps) {
      count += step.count;
      created += step.verdicts[static_cast<std::size_t>(Verdict::created)];
      choices += step.choices[0][0] + step.choices[0][1];
      EXPECT_EQ(step.sums[1], 2.0 * static_cast<double>(step.counted[1]));
    }
    EXPECT_EQ(count, i + 1);
    EXPECT_EQ(choices, i + 1);
    EXPECT_EQ(created, steps.back().created_before_end);
  }
}

}  // namespace
}  // namespace paco::insight
