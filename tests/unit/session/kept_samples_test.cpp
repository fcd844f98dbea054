// Sessions in memory that keep their last samples: moved and verified as with a journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paco/session.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::session {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::shared_ptr<const Model> model_of(const testing::SyntheticData& data,
                                      const std::string& method) {
  CalibrationOptions options;
  options.method = method;
  if (method == "mirror") options.set("splits", 4);
  return testing::calibrated(data.support_set(), options);
}

Operation move(std::vector<std::uint64_t> samples, CategoryId into = kNoId) {
  Operation o;
  o.kind = OperationKind::move;
  o.category = into;
  o.samples = std::move(samples);
  return o;
}

Operation verify(std::vector<std::uint64_t> samples) {
  Operation o;
  o.kind = OperationKind::verify;
  o.samples = std::move(samples);
  return o;
}

class LastSamplesInMemory : public ::testing::TestWithParam<std::string> {};

TEST_P(LastSamplesInMemory, AreMovedAndVerifiedAsWithAJournal) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto data = testing::make_data(testing::varied_plan(seed), seed);
    const auto model = model_of(data, GetParam());
    ASSERT_NE(model, nullptr);
    const TemporaryFolder folder;
    Session memory = Session::start(model).value();
    Session journal = Session::create(folder / "s.journal", model, "", {}, {}).value();
    ASSERT_TRUE(memory.keep(40).ok());
    const std::size_t half = data.stream.rows() / 2;
    std::vector<Decision> decisions(data.stream.rows());
    for (Session* session : {&memory, &journal}) {
      ASSERT_TRUE(
          session->decide(data.stream.view().slice(0, half), std::span(decisions).first(half))
              .ok());
      const auto last = static_cast<std::uint64_t>(half - 1);
      const auto made = session->apply(move({last, last - 3, last - 7}));
      ASSERT_TRUE(made.ok()) << "seed " << seed << ": " << made.error().message;
      EXPECT_EQ(session->shown(last).value(), made->category);
      ASSERT_TRUE(session->apply(verify({last, last - 1})).ok()) << "seed " << seed;
      ASSERT_TRUE(session->apply(move({last - 3}, 0)).ok()) << "seed " << seed;
      EXPECT_EQ(session->view()->info(made->category).verified, 1u);
      const auto back = session->apply(move({last - 10}));
      ASSERT_TRUE(back.ok()) << back.error().message;
      ASSERT_TRUE(session->undo(back->event).ok());
    }
    std::vector<Decision> one(data.stream.rows() - half), other(one.size());
    const auto rest = data.stream.view().slice(half, one.size());
    ASSERT_TRUE(memory.decide(rest, one).ok());
    ASSERT_TRUE(journal.decide(rest, other).ok());
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(one[i].category, other[i].category) << "seed " << seed << ", sample " << half + i;
    if (GetParam() == "mirror") EXPECT_EQ(memory.digest().value(), journal.digest().value());
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LastSamplesInMemory, ::testing::Values("paco", "mirror"),
                         [](const auto& test) { return test.param; });

TEST(SamplesInMemory, AreTheLastOnesAndNoOthers) {
  const auto data = testing::make_data({}, 8);
  Session session = Session::start(model_of(data, "paco")).value();
  std::vector<Decision> decisions(data.stream.rows());
  ASSERT_TRUE(session.keep(10).ok());
  ASSERT_TRUE(session.decide(data.stream, decisions).ok());
  const std::uint64_t all = session.samples();
  EXPECT_TRUE(session.apply(move({all - 10})).ok());
  const auto older = session.apply(move({all - 11}));
  ASSERT_FALSE(older.ok());
  EXPECT_THAT(older.error().message, HasSubstr("is not kept in memory"));
  ASSERT_TRUE(session.keep(0).ok());
  EXPECT_FALSE(session.apply(move({all - 1})).ok());
  EXPECT_FALSE(session.shown(all - 1).ok());
}

}  // namespace
}  // namespace paco::session
