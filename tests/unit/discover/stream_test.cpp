// The stream runner: what it reads, writes and saves, and what is left behind when it is stopped or
// fails.
#include "discover/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "damaged_file.hpp"
#include "made_data.hpp"
#include "temporary_folder.hpp"

namespace paco {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

// Rows from memory. Sets a stop source after some of them, names its rows where asked to.
class MadeSource final : public EmbeddingSource {
 public:
  explicit MadeSource(Matrix<double> rows) : EmbeddingSource("made"), rows_(std::move(rows)) {}
  std::size_t dimension() const override { return rows_.columns(); }
  std::optional<std::uint64_t> rows() const override { return rows_.rows(); }
  ElementType type() const override { return ElementType::f64; }

  std::stop_source* stop = nullptr;
  std::size_t stop_after = 0;
  bool named = false;

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids) override {
    const std::size_t count = std::min(block.rows, rows_.rows() - next_);
    for (std::size_t i = 0; i < count; ++i, ++next_) {
      std::copy_n(rows_[next_].data(), block.columns, block[i].data());
      if (named && ids) ids->push_back("row " + std::to_string(next_));
    }
    if (stop != nullptr && next_ >= stop_after) stop->request_stop();
    return count;
  }
  Matrix<double> rows_;
  std::size_t next_ = 0;
};

// A made stream with everything needed to run it.
struct Job {
  testing::MadeData data;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Method> method;
  std::shared_ptr<MadeSource> source;

  explicit Job(std::size_t samples = 150) {
    testing::MadePlan plan;
    plan.stream = samples;
    data = testing::make_data(plan, 8);
    model = testing::calibrated(data.support_set());
    method = testing::method_for("paco", model);
    source = std::make_shared<MadeSource>(data.stream);
  }
  Result<StreamOutcome> go(const StreamOptions& options, DecisionWriter* decisions = nullptr,
                           TraceWriter* trace = nullptr, std::stop_token stop = {}) {
    NoProgress progress;
    double now = 0;
    return run_stream(
        source, *method, options, decisions, trace, progress, [&now] { return now += 0.5; }, stop);
  }
};

std::string csv_of(const Job& run, std::size_t block) {
  const TemporaryFolder folder;
  Job fresh(run.data.stream.rows());
  auto writer = make_decision_writer(folder / "d.csv", *fresh.model);
  EXPECT_TRUE(fresh.go({block, 0, 0, ""}, writer->get()).ok());
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
  auto writer = make_decision_writer(folder / "d.csv", *run.model);
  ASSERT_TRUE(run.go({8, 0, 0, ""}, writer->get()).ok());
  EXPECT_EQ(read_decisions(folder / "d.csv")->samples[13], "row 13");
}

TEST(Stream, AnEmptyStreamIsNoError) {
  Job run(20);
  run.source = std::make_shared<MadeSource>(Matrix<double>(0, 12));
  const auto outcome = run.go({8, 0, 0, ""});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->samples, 0u);
  EXPECT_FALSE(outcome->interrupted);
}

TEST(Stream, StatesAreSavedOnTheWayAndAtTheEnd) {
  const TemporaryFolder folder;
  Job whole;
  ASSERT_TRUE(whole.go({64, 0, 0, folder / "end.paco"}).ok());
  Job parts;
  ASSERT_TRUE(parts.go({64, 0, 40, folder / "every.paco"}).ok());
  EXPECT_EQ(bytes_of(folder / "end.paco"), bytes_of(folder / "every.paco"));
}

TEST(Stream, SkippingWhatAStateHasSeenGivesTheRest) {
  const TemporaryFolder folder;
  Job whole;
  auto writer = make_decision_writer(folder / "whole.csv", *whole.model);
  ASSERT_TRUE(whole.go({32, 0, 0, folder / "whole.paco"}, writer->get()).ok());

  Job first;
  first.source = std::make_shared<MadeSource>(
      Matrix<double>(67, 12, {first.data.stream.data(), first.data.stream.data() + 67 * 12}));
  writer = make_decision_writer(folder / "first.csv", *first.model);
  ASSERT_TRUE(first.go({32, 0, 0, folder / "part.paco"}, writer->get()).ok());
  Job second;
  ASSERT_TRUE(second.method->restore(folder / "part.paco").ok());
  writer = make_decision_writer(folder / "second.csv", *second.model);
  const auto outcome = second.go({32, 67, 0, folder / "parts.paco"}, writer->get());
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->samples, 150u - 67u);
  EXPECT_EQ(bytes_of(folder / "parts.paco"), bytes_of(folder / "whole.paco"));
  const std::string head = bytes_of(folder / "first.csv"), tail = bytes_of(folder / "second.csv");
  EXPECT_EQ(head + tail.substr(tail.find('\n') + 1), bytes_of(folder / "whole.csv"));
}

TEST(Stream, SkippingMoreThanThereIsIsAnError) {
  const TemporaryFolder folder;
  Job run(30);
  auto writer = make_decision_writer(folder / "d.csv", *run.model);
  const auto outcome = run.go({8, 31, 0, folder / "s.paco"}, writer->get());
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("only 30 rows"));
  writer->reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Stream, AStopLeavesAValidBeginning) {
  const TemporaryFolder folder;
  Job run;
  std::stop_source stop;
  run.source->stop = &stop;
  run.source->stop_after = 60;
  auto writer = make_decision_writer(folder / "d.csv", *run.model);
  auto trace = TraceWriter::create(folder / "t.csv", {});
  const auto outcome =
      run.go({10, 0, 0, folder / "s.paco"}, writer->get(), &*trace, stop.get_token());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_LT(outcome->samples, 150u);
  const auto table = read_decisions(folder / "d.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->decisions.size(), outcome->samples);
  EXPECT_EQ(read_trace(folder / "t.csv")->size(), outcome->samples);
  EXPECT_TRUE(csv_of(run, 1).starts_with(bytes_of(folder / "d.csv")));
  Job rest;
  ASSERT_TRUE(rest.method->restore(folder / "s.paco").ok());
  EXPECT_EQ(rest.method->stats().samples, outcome->samples);
}

TEST(Stream, AfterAnErrorNothingAppears) {
  const TemporaryFolder folder;
  Job run;
  for (double& x : run.data.stream[95]) x = 0;
  run.source = std::make_shared<MadeSource>(run.data.stream);
  auto writer = make_decision_writer(folder / "d.csv", *run.model);
  auto trace = TraceWriter::create(folder / "t.csv", {});
  const auto outcome = run.go({16, 0, 0, folder / "s.paco"}, writer->get(), &*trace);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "stream: row 95 is all zeros");
  writer->reset();
  { const TraceWriter gone = std::move(*trace); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Stream, AnotherDimensionIsRefusedBeforeAnythingIsRead) {
  Job run;
  run.source = std::make_shared<MadeSource>(Matrix<double>(5, 7));
  const auto outcome = run.go({16, 0, 0, ""});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "made: rows have 7 values, the model expects 12");
}

}  // namespace
}  // namespace paco
