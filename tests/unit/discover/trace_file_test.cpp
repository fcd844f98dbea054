#include "discover/trace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "damaged_file.hpp"
#include "made_data.hpp"
#include "temporary_folder.hpp"

namespace paco {
namespace {

using testing::TemporaryFolder;

std::vector<Decision> some_decisions() {
  const auto data = testing::make_data({}, 4);
  const auto model = testing::calibrated(data.support_set());
  return testing::decide_all(*testing::method_for("paco", model), data.stream, 64);
}

void write(const std::string& path, std::span<const Decision> decisions,
           const MethodStats& before) {
  auto writer = TraceWriter::create(path, before);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const std::size_t half = decisions.size() / 2;
  ASSERT_TRUE(writer->write(decisions.first(half), 1.5).ok());
  ASSERT_TRUE(writer->write(decisions.subspan(half), 2.25).ok());
  EXPECT_FALSE(std::filesystem::exists(path)) << "there before it was committed";
  ASSERT_TRUE(writer->commit().ok());
}

TEST(TraceFile, KeepsTheCourseOfAStream) {
  const TemporaryFolder folder;
  const auto decisions = some_decisions();
  MethodStats before;
  before.branches[1] = 1000;
  write(folder / "t.csv", decisions, before);
  const auto rows = read_trace(folder / "t.csv");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), decisions.size());
  std::uint64_t counts[4] = {0, 1000, 0, 0};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Decision expected = decisions[i];
    // What is in the decisions file only.
    Decision found = (*rows)[i].decision;
    found.verdict = expected.verdict;
    found.score = expected.score;
    found.threshold = expected.threshold;
    found.runner_up = expected.runner_up;
    found.assignment_score = expected.assignment_score;
    found.runner_up_score = expected.runner_up_score;
    EXPECT_TRUE(testing::same_decision(found, expected)) << "row " << i;
    ++counts[static_cast<int>(expected.branch)];
    for (int b = 0; b < 4; ++b) EXPECT_EQ((*rows)[i].branches[b], counts[b]) << "row " << i;
    EXPECT_EQ((*rows)[i].microseconds, i < decisions.size() / 2 ? 1.5 : 2.25);
  }
}

TEST(TraceFile, WithoutSamplesHasAHeaderAlone) {
  const TemporaryFolder folder;
  write(folder / "t.csv", {}, {});
  EXPECT_EQ(testing::bytes_of(folder / "t.csv"), std::string(kTraceColumns) + "\n");
  EXPECT_TRUE(read_trace(folder / "t.csv")->empty());
}

TEST(TraceFile, DamageIsAnErrorOrReadable) {
  const TemporaryFolder folder;
  write(folder / "t.csv", std::span<const Decision>(some_decisions()).first(4), {});
  testing::for_every_damage(testing::bytes_of(folder / "t.csv"), folder / "bad.csv",
                            [&](const std::string& path, const std::string& what) {
                              const auto rows = read_trace(path);
                              if (rows.ok()) {
                                EXPECT_LE(rows->size(), 5u) << what;
                              } else {
                                EXPECT_THAT(rows.error().message, ::testing::HasSubstr("bad.csv"))
                                    << what;
                              }
                            });
}

TEST(TraceFile, AnotherTableIsNoTrace) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "x.csv", "a,b\n1,2\n");
  const auto rows = read_trace(folder / "x.csv");
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, ::testing::HasSubstr("line 1"));
}

}  // namespace
}  // namespace paco
