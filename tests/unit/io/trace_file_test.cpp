// A trace has a row for each sample, and can be read back.
#include "io/trace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "damaged_file.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using testing::TemporaryFolder;

const MethodInfo& info_of(const std::string& name) { return *method_info(name).value(); }

std::vector<Decision> some_decisions(const std::string& method = "paco") {
  const auto data = testing::make_data({}, 4);
  const auto model = testing::calibrated(data.support_set());
  return testing::decide_all(*testing::method_for(method, model), data.stream, 64);
}

void write(const std::string& path, std::span<const Decision> decisions,
           const MethodInfo& method = info_of("paco")) {
  auto writer = TraceWriter::create(path, method);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const std::size_t half = decisions.size() / 2;
  ASSERT_TRUE(writer->write(decisions.first(half), 1.5).ok());
  ASSERT_TRUE(writer->write(decisions.subspan(half), 2.25).ok());
  EXPECT_FALSE(std::filesystem::exists(path)) << "there before it was finished";
  ASSERT_TRUE(writer->finish().ok());
}

TEST(TraceFile, KeepsTheCourseOfAStreamOfEveryMethod) {
  for (const std::string& name : method_names()) {
    const TemporaryFolder folder;
    const auto decisions = some_decisions(name);
    write(folder / "t.csv", decisions, info_of(name));
    const auto trace = read_trace(folder / "t.csv");
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    ASSERT_EQ(trace->decisions.size(), decisions.size()) << name;
    ASSERT_EQ(trace->microseconds.size(), decisions.size()) << name;
    const MethodInfo& info = info_of(name);
    ASSERT_EQ(trace->fields.size(), info.evidence.size()) << name;
    for (std::size_t f = 0; f < info.evidence.size(); ++f)
      EXPECT_EQ(trace->field(info.evidence[f].name), static_cast<int>(f));
    EXPECT_EQ(trace->field("nobody's"), -1);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      // What is in the decisions file only.
      Decision found = trace->decisions[i];
      found.verdict = decisions[i].verdict;
      found.prototype = decisions[i].prototype;
      found.counted = decisions[i].counted;
      found.score = decisions[i].score;
      found.threshold = decisions[i].threshold;
      found.runner_up = decisions[i].runner_up;
      EXPECT_TRUE(testing::same_decision(found, decisions[i])) << name << ", row " << i;
      EXPECT_EQ(trace->microseconds[i], i < decisions.size() / 2 ? 1.5 : 2.25);
    }
  }
}

TEST(TraceFile, WithoutSamplesHasAHeaderAlone) {
  const TemporaryFolder folder;
  write(folder / "t.csv", {});
  const std::string text = testing::bytes_of(folder / "t.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, ::testing::StartsWith("sequence,category,branch,route,"));
  EXPECT_TRUE(read_trace(folder / "t.csv")->decisions.empty());
}

TEST(TraceFile, GoesOnWhereAnEarlierRunWasOnTheDisk) {
  const TemporaryFolder folder;
  const auto decisions = some_decisions();
  const std::span<const Decision> all(decisions);
  write(folder / "whole.csv", all);
  std::uint64_t length = 0;
  {
    auto writer = TraceWriter::create(folder / "t.csv", info_of("paco"));
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->write(all.first(all.size() / 2), 1.5).ok());
    length = writer->sync().value();
    ASSERT_TRUE(writer->write(all.first(3), 9).ok());  // of a run that was then killed
  }
  auto writer = TraceWriter::create(folder / "t.csv", info_of("paco"), length);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  ASSERT_TRUE(writer->write(all.subspan(all.size() / 2), 2.25).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(testing::bytes_of(folder / "t.csv"), testing::bytes_of(folder / "whole.csv"));
}

TEST(TraceFile, DamageIsAnErrorOrReadable) {
  const TemporaryFolder folder;
  write(folder / "t.csv", std::span<const Decision>(some_decisions()).first(4));
  testing::for_every_damage(testing::bytes_of(folder / "t.csv"), folder / "bad.csv",
                            [&](const std::string& path, const std::string& what) {
                              const auto rows = read_trace(path);
                              if (rows.ok()) {
                                EXPECT_LE(rows->decisions.size(), 5u) << what;
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
}  // namespace paco::io
