// Where a file goes on that was fed to a journal before: by itself only if that is certain.
#include "session/continued_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/files.hpp"
#include "core/try.hpp"
#include "session/stream.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::session {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

class ContinuedInput : public ::testing::Test {
 protected:
  ContinuedInput() {
    testing::MadePlan plan;
    plan.stream = 60;
    data_ = testing::make_data(plan, 8);
    model_ = testing::calibrated(data_.support_set());
    session_.emplace(Session::create(folder_ / "j", model_, "", {}, {}).value());
  }

  // A csv file of these rows of the stream.
  std::string file(const std::string& name, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < to; ++i) {
      for (std::size_t c = 0; c < data_.stream.columns(); ++c)
        text += (c == 0 ? "" : ",") + std::to_string(data_.stream[i][c]);
      text += "\n";
    }
    EXPECT_TRUE(core::write_file(folder_ / name, text).ok());
    return folder_ / name;
  }

  Result<StreamOutcome> feed(const std::string& path, StreamOptions options = {}) {
    core::NoProgress progress;
    double now = 0;
    note_.clear();
    options.note = [this](const std::string& note) { note_ = note; };
    PACO_ASSIGN(std::shared_ptr<io::EmbeddingSource> source, io::open_embeddings(path));
    return run_stream(source, *session_, options, {}, progress, [&now] { return now += 0.5; }, {});
  }
  // How many new samples it made.
  std::uint64_t samples(const std::string& path, bool continues = false) {
    StreamOptions options;
    options.continues = continues;
    const auto outcome = feed(path, options);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? outcome->samples : 0;
  }

  TemporaryFolder folder_;
  testing::SyntheticData data_;
  std::shared_ptr<const Model> model_;
  std::optional<Session> session_;
  std::string note_;
};

TEST_F(ContinuedInput, AFileThatHasNotChangedGoesOnWhereItWasLeft) {
  const std::string stream = file("s.csv", 0, 60);
  EXPECT_EQ(samples(stream), 60u);
  EXPECT_EQ(samples(stream), 0u);
  EXPECT_THAT(note_, HasSubstr("60 rows of"));
}

TEST_F(ContinuedInput, RowsOfAnotherFileAreNewSamplesHoweverEqualTheyAre) {
  EXPECT_EQ(samples(file("s.csv", 0, 60)), 60u);
  EXPECT_EQ(samples(file("one.csv", 17, 18)), 1u);
  EXPECT_EQ(samples(file("copy.csv", 0, 60)), 60u);
  EXPECT_EQ(note_, "");
}

TEST_F(ContinuedInput, AFileThatHasChangedIsNewAndSaysSo) {
  EXPECT_EQ(samples(file("s.csv", 0, 20)), 20u);
  EXPECT_EQ(samples(file("s.csv", 0, 60)), 60u);
  EXPECT_THAT(note_, HasSubstr("has changed since"));
}

TEST_F(ContinuedInput, TwoFilesThatTakeTurnsGoOnWhereEachWasLeft) {
  const std::string first = file("a.csv", 0, 30), second = file("b.csv", 30, 60);
  EXPECT_EQ(samples(first), 30u);
  EXPECT_EQ(samples(second), 30u);
  EXPECT_EQ(samples(first), 0u);
  EXPECT_EQ(samples(second), 0u);
}

TEST_F(ContinuedInput, AskedForItPassesOverWhatTheJournalHolds) {
  EXPECT_EQ(samples(file("s.csv", 0, 20)), 20u);
  EXPECT_EQ(samples(file("s.csv", 0, 60), true), 40u);
  EXPECT_EQ(samples(file("tail.csv", 50, 60), true), 0u);
  EXPECT_EQ(session_->samples(), 60u);
}

TEST_F(ContinuedInput, AskedForItRefusesAnInputThatTheJournalHoldsNothingOf) {
  EXPECT_EQ(samples(file("a.csv", 0, 20), true), 20u) << "an empty journal is no error";
  StreamOptions options;
  options.continues = true;
  const auto outcome = feed(file("b.csv", 30, 60), options);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("holds no sample like its first row"));
  EXPECT_EQ(session_->samples(), 20u);
}

TEST_F(ContinuedInput, EqualRowsAreCounted) {
  for (std::size_t i = 1; i < 60; ++i)
    std::copy_n(data_.stream[0].data(), data_.stream.columns(), data_.stream[i].data());
  EXPECT_EQ(samples(file("s.csv", 0, 20)), 20u);
  EXPECT_EQ(samples(file("s.csv", 0, 60), true), 40u);
}

TEST_F(ContinuedInput, BadRowsThatWerePassedOverAreCounted) {
  for (const std::size_t bad : {3, 19}) {
    for (double& x : data_.stream[bad]) x = 0;
  }
  StreamOptions options;
  options.skip_bad_rows = true;
  options.block = 7;
  const std::string stream = file("s.csv", 0, 60);
  ASSERT_EQ(feed(stream, options)->samples, 58u);
  const auto again = feed(stream, options);
  EXPECT_EQ(again->samples, 0u);
  EXPECT_THAT(note_, HasSubstr("60 rows of"));
}

TEST_F(ContinuedInput, ARunThatSkippedRowsGoesOnToo) {
  const std::string stream = file("s.csv", 0, 60);
  StreamOptions options;
  options.skip = 25;
  ASSERT_EQ(feed(stream, options)->samples, 35u);
  ASSERT_EQ(feed(stream, options)->samples, 0u);
  EXPECT_EQ(samples(stream), 60u) << "from its first row on it was never read";
}

TEST_F(ContinuedInput, AClosedJournalKeepsHowFarAFileWasRead) {
  const std::string stream = file("s.csv", 0, 60);
  EXPECT_EQ(samples(stream), 60u);
  ASSERT_TRUE(session_->close().ok());
  session_.emplace(Session::open(folder_ / "j").value());
  EXPECT_EQ(samples(stream), 0u);
}

}  // namespace
}  // namespace paco::session
