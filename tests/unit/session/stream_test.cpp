// The stream runner: what it reads, writes and saves, and what is left behind when it is stopped or
// fails.
#include "session/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "damaged_file.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::session {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

// Rows from memory. Sets a stop source after some of them, names its rows where asked to.
class MadeSource final : public io::EmbeddingSource {
 public:
  explicit MadeSource(math::Matrix<double> rows)
      : io::EmbeddingSource("made"), rows_(std::move(rows)) {}
  std::size_t dimension() const override { return rows_.columns(); }
  std::optional<std::uint64_t> rows() const override { return rows_.rows(); }
  io::ElementType type() const override { return io::ElementType::f64; }

  std::stop_source* stop = nullptr;
  std::size_t stop_after = 0;
  bool named = false;
  std::size_t torn_after = ~std::size_t{0};

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids,
                                Wait wait) override {
    const std::size_t end = std::min(rows_.rows(), torn_after);
    const std::size_t count = std::min(block.rows, end - next_);
    for (std::size_t i = 0; i < count; ++i, ++next_) {
      std::copy_n(rows_[next_].data(), block.columns, block[i].data());
      if (named && ids) ids->push_back("row " + std::to_string(next_));
    }
    if (stop != nullptr && next_ >= stop_after) stop->request_stop();
    if (count < block.rows && end == torn_after)
      return rows_before(count, {ErrorCode::bad_format, fmt::format("row {} is torn", end), ""},
                         wait);
    return count;
  }
  math::Matrix<double> rows_;
  std::size_t next_ = 0;
};

// A made stream with everything needed to run it.
struct Job {
  testing::SyntheticData data;
  std::shared_ptr<const Model> model;
  std::optional<Session> session;
  std::shared_ptr<MadeSource> source;
  std::unique_ptr<io::DecisionWriter> decisions;
  std::optional<io::TraceWriter> trace;

  explicit Job(std::size_t samples = 150) {
    testing::MadePlan plan;
    plan.stream = samples;
    data = testing::make_data(plan, 8);
    model = testing::calibrated(data.support_set());
    session.emplace(Session::start(model).value());
    source = std::make_shared<MadeSource>(data.stream);
  }
  void write(const std::string& path, std::optional<std::uint64_t> length = {}) {
    auto writer = io::make_decision_writer(path, session->method().info(), length);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    decisions = std::move(*writer);
  }
  Result<StreamOutcome> go(const StreamOptions& options, std::stop_token stop = {}) {
    core::NoProgress progress;
    double now = 0;
    return run_stream(
        source, *session, options, {decisions.get(), trace ? &*trace : nullptr}, progress,
        [&now] { return now += 0.5; }, stop);
  }
};

StreamOptions blocks_of(std::size_t block, const std::string& state = "",
                        std::uint64_t save_every = 0) {
  StreamOptions options;
  options.block = block;
  options.state = state;
  options.save_every = save_every;
  return options;
}

std::string csv_of(const Job& run, std::size_t block) {
  const TemporaryFolder folder;
  Job fresh(run.data.stream.rows());
  fresh.write(folder / "d.csv");
  EXPECT_TRUE(fresh.go(blocks_of(block)).ok());
  return bytes_of(folder / "d.csv");
}

TEST(Stream, BlockSizesChangeNoByteOfTheDecisions) {
  const Job run;
  const std::string one = csv_of(run, 1);
  EXPECT_THAT(one, HasSubstr("\n149,149,"));
  for (const std::size_t block : {2, 7, 64, 150, 1000}) EXPECT_EQ(csv_of(run, block), one) << block;
}

TEST(Stream, RowsThatTheInputNamesKeepTheirNames) {
  const TemporaryFolder folder;
  Job run(20);
  run.source->named = true;
  run.write(folder / "d.csv");
  ASSERT_TRUE(run.go(blocks_of(8)).ok());
  EXPECT_EQ(io::read_decisions(folder / "d.csv")->samples[13], "row 13");
}

TEST(Stream, AnEmptyStreamIsNoError) {
  Job run(20);
  run.source = std::make_shared<MadeSource>(math::Matrix<double>(0, 12));
  const auto outcome = run.go(blocks_of(8));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->samples, 0u);
  EXPECT_FALSE(outcome->interrupted);
}

// Every state on the way is kept with the decisions it speaks of, not only the last one.
TEST(Stream, EveryStateThatIsSavedOnTheWayKnowsWhereItsDecisionsEnd) {
  const TemporaryFolder folder;
  Job whole;
  whole.write(folder / "whole.csv");
  ASSERT_TRUE(whole.go(blocks_of(64, folder / "whole.paco")).ok());
  const std::string all = bytes_of(folder / "whole.csv");
  for (const std::size_t stop_after : {40, 80, 120}) {
    const std::string out = folder / ("d" + std::to_string(stop_after) + ".csv");
    const std::string state = folder / ("s" + std::to_string(stop_after) + ".paco");
    Job first;
    std::stop_source stop;
    first.source->stop = &stop;
    first.source->stop_after = stop_after;
    first.write(out);
    const auto outcome = first.go(blocks_of(10, state, 20), stop.get_token());
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_TRUE(outcome->interrupted);
    EXPECT_FALSE(std::filesystem::exists(out)) << "the old file or none";
    first.decisions.reset();
    const auto lengths = saved_run(state, first.session->samples());
    ASSERT_TRUE(lengths.ok() && lengths->decisions);
    EXPECT_EQ(bytes_of(core::PartialFile::partial_name(out)), all.substr(0, *lengths->decisions));

    Job second;
    ASSERT_TRUE(second.session->restore(state).ok());
    second.write(out, lengths->decisions);
    StreamOptions rest = blocks_of(7, state, 20);
    rest.skip = second.session->samples();
    ASSERT_TRUE(second.go(rest).ok());
    EXPECT_EQ(bytes_of(out), all);
    EXPECT_EQ(bytes_of(state), bytes_of(folder / "whole.paco"));
    EXPECT_FALSE(std::filesystem::exists(core::PartialFile::partial_name(out)));
  }
}

TEST(Stream, SkippingMoreThanThereIsIsAnError) {
  const TemporaryFolder folder;
  Job run(30);
  run.write(folder / "d.csv");
  StreamOptions options = blocks_of(8, folder / "s.paco");
  options.skip = 31;
  const auto outcome = run.go(options);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("only 30 rows"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Stream, ABadRowEndsItAndEverythingBeforeItIsKept) {
  const TemporaryFolder folder;
  Job run;
  for (double& x : run.data.stream[95]) x = 0;
  run.source = std::make_shared<MadeSource>(run.data.stream);
  for (const std::size_t block : {1, 16, 64}) {
    Job bad;
    bad.source = std::make_shared<MadeSource>(run.data.stream);
    bad.write(folder / "d.csv");
    const auto outcome = bad.go(blocks_of(block, folder / "s.paco"));
    ASSERT_TRUE(outcome.ok());
    ASSERT_TRUE(outcome->refused);
    EXPECT_EQ(outcome->refused->message, "made: row 95 is all zeros");
    EXPECT_EQ(outcome->samples, 95u);
    EXPECT_TRUE(bytes_of(folder / "d.csv").starts_with("sequence,")) << block;
    EXPECT_EQ(io::read_decisions(folder / "d.csv")->decisions.size(), 95u);
    Job after;
    ASSERT_TRUE(after.session->restore(folder / "s.paco").ok());
    EXPECT_EQ(after.session->samples(), 95u);
  }
}

TEST(Stream, BadRowsCanBePassedOver) {
  Job run;
  for (double& x : run.data.stream[3]) x = 0;
  run.data.stream[100][2] = std::nan("");
  run.source = std::make_shared<MadeSource>(run.data.stream);
  StreamOptions options = blocks_of(32);
  options.skip_bad_rows = true;
  std::vector<std::string> notes;
  options.note_bad_row = [&](const Error& error) { notes.push_back(error.message); };
  const auto outcome = run.go(options);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->samples, 148u);
  EXPECT_EQ(outcome->skipped, 2u);
  EXPECT_THAT(notes, ::testing::ElementsAre("made: row 3 is all zeros",
                                            "made: row 100 has nan at column 2"));
}

TEST(Stream, AStateCountsTheRowsThatWereConsumedNotTheSamples) {
  const TemporaryFolder folder;
  Job whole;
  for (const std::size_t bad : {3, 4, 39, 70})
    for (double& x : whole.data.stream[bad]) x = 0;
  StreamOptions options = blocks_of(10, folder / "s.paco", 20);
  options.skip_bad_rows = true;
  const math::Matrix<double> rows = whole.data.stream;
  whole.source = std::make_shared<MadeSource>(rows);
  ASSERT_EQ(whole.go(options)->samples, 146u);
  for (const std::size_t stop_after : {40, 64, 120}) {
    Job first, second;
    std::stop_source stop;
    first.source = std::make_shared<MadeSource>(rows);
    first.source->stop = &stop;
    first.source->stop_after = stop_after;
    ASSERT_TRUE(first.go(options, stop.get_token())->interrupted);
    ASSERT_TRUE(second.session->restore(folder / "s.paco").ok());
    const auto saved = saved_run(folder / "s.paco", second.session->samples());
    ASSERT_TRUE(saved.ok());
    second.source = std::make_shared<MadeSource>(rows);
    StreamOptions rest = options;
    rest.skip = rest.consumed = saved->rows;
    ASSERT_TRUE(second.go(rest).ok());
    EXPECT_EQ(second.session->samples(), 146u) << stop_after;
    EXPECT_EQ(second.session->digest().value(), whole.session->digest().value());
    EXPECT_EQ(saved_run(folder / "s.paco", 146)->rows, 150u);
  }
}

TEST(Stream, ARowThatCannotBeReadKeepsWhatWasDecidedBeforeIt) {
  for (const std::size_t block : {1, 16, 64}) {
    const TemporaryFolder folder;
    Job torn;
    torn.source->torn_after = 95;
    torn.write(folder / "d.csv");
    const auto outcome = torn.go(blocks_of(block, folder / "s.paco"));
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_TRUE(outcome->refused);
    EXPECT_EQ(outcome->refused->message, "row 95 is torn");
    EXPECT_EQ(io::read_decisions(folder / "d.csv")->decisions.size(), 95u) << block;
    EXPECT_EQ(saved_run(folder / "s.paco", 95)->rows, 95u);
  }
}

// Ctrl-C ends the program that feeds a pipe, too, and its torn row may be seen first.
TEST(Stream, ATornRowTogetherWithCtrlCLeavesWhatCtrlCLeaves) {
  const TemporaryFolder folder;
  Job torn;
  std::stop_source stop;
  torn.source->torn_after = 95;
  torn.source->stop = &stop;
  torn.source->stop_after = 95;
  torn.write(folder / "d.csv");
  const auto outcome = torn.go(blocks_of(16, folder / "s.paco"), stop.get_token());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_FALSE(outcome->refused);
  EXPECT_FALSE(std::filesystem::exists(folder / "d.csv"));
  EXPECT_TRUE(std::filesystem::exists(core::PartialFile::partial_name(folder / "d.csv")));
  EXPECT_TRUE(std::filesystem::exists(folder / "s.paco"));
}

TEST(Stream, AnotherDimensionIsRefusedBeforeAnythingIsRead) {
  Job run;
  run.source = std::make_shared<MadeSource>(math::Matrix<double>(5, 7));
  const auto outcome = run.go(blocks_of(16));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "made: rows have 7 values, the model expects 12");
}

}  // namespace
}  // namespace paco::session
