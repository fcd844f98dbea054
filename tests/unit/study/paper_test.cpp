// The paper's figures, its layout, records of runs and the leaderboard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.hpp"
#include "study/leaderboard.hpp"
#include "study/paper_figures.hpp"
#include "study/paper_layout.hpp"
#include "study/run_record.hpp"
#include "study/run_tracks.hpp"
#include "temporary_folder.hpp"

namespace paco::study {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

TEST(PaperFigures, EveryCellOfThePaperIsThere) {
  std::map<int, std::size_t> cells;
  std::set<std::string> rows;
  for (const PaperFigure& figure : paper_figures()) {
    ++cells[figure.table];
    if (figure.table == 1 && figure.data != "average")
      rows.insert(figure.protocol + figure.data + figure.method);
  }
  // Seven sets of five numbers (Table 5), seven and their average of six (6), seven of three (7).
  EXPECT_EQ(cells, (std::map<int, std::size_t>{
                       {1, 333}, {2, 56}, {3, 36}, {4, 24}, {5, 35}, {6, 48}, {7, 21}}));
  EXPECT_EQ(rows.size(), 101u);
  EXPECT_EQ(paper_accuracy("cub-finetuned", "age"), 46.3);
  EXPECT_EQ(paper_accuracy("cifar100", "paco"), 67.0);
  EXPECT_EQ(paper_accuracy("cifar10", "paco"), 58.0);
  EXPECT_EQ(paper_accuracy("toys", "paco"), std::nullopt);
}

TEST(PaperFigures, AreThoseOfThePapersTextCellByCell) {
  const char* given = std::getenv("PACO_SHARED");
  const std::string paper =
      (given ? std::string(given) : std::string(PACO_SOURCE_DIR) + "/../shared") + "/paper.tex";
  if (core::path_kind(paper) != core::PathKind::file) GTEST_SKIP() << paper << " is absent";
  const std::string command =
      "/usr/bin/python3 " PACO_SOURCE_DIR "/tools/paper_figures.py '" + paper + "' --check";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// Two sets and two methods with made results.
struct Played {
  Plan plan;
  std::vector<DataSet> data{2};
  std::vector<Run> runs;
  std::vector<RunResult> results;

  explicit Played(const char* name) : plan(*plans_called(name).value()[0]) {
    data[0].name = "cub-frozen";
    data[1].name = "fish";
    for (std::size_t d = 0; d < data.size(); ++d) {
      for (const char* label : {"slc", "paco"}) {
        Run run;
        run.data = d;
        run.contender = contender_called(label).value();
        runs.push_back(run);
        RunResult result;
        const double all = 0.5 + 0.1 * static_cast<double>(runs.size());
        result.strict = {all, all - 0.1, all + 0.1, {}, {}, {}};
        result.greedy = result.strict;
        result.scores.assign(std::size(kMatchings), {result.strict, result.greedy});
        results.push_back(result);
      }
    }
  }
};

TEST(PaperLayout, OurFigureStandsBesideThePapersWithTheDifference) {
  const Played played("table1");
  const auto cells = layout_cells(played.plan, played.runs, played.results, played.data);
  std::size_t papers = 0;
  bool found = false, average = false;
  for (const LayoutCell& cell : cells) {
    papers += cell.paper.has_value();
    if (cell.data == "cub-frozen" && cell.method == "paco" && cell.protocol == "strict" &&
        cell.measure == "all") {
      found = true;
      EXPECT_DOUBLE_EQ(cell.ours.value(), 70);
      EXPECT_DOUBLE_EQ(cell.paper.value(), 49.7);
      EXPECT_EQ(cell.rank, 1);
    }
    if (cell.data == "average" && cell.method == "paco" && cell.protocol == "greedy" &&
        cell.measure == "all") {
      average = true;
      EXPECT_DOUBLE_EQ(cell.ours.value(), 80);
      EXPECT_FALSE(cell.paper) << "an average of two sets is not the paper's of seven";
    }
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(average);
  EXPECT_EQ(papers, 333u);
  const auto table = layout_table(played.plan, cells, LayoutPart::difference);
  EXPECT_THAT(report::table_markdown(table), HasSubstr("+20.3"));
}

TEST(PaperLayout, EveryFigureOfEveryTableIsInItsLayout) {
  for (int number = 1; number <= 7; ++number) {
    Played played(("table" + std::to_string(number)).c_str());
    if (number == 5) played.runs.clear();
    const auto cells = layout_cells(played.plan, played.runs, played.results, played.data);
    std::multiset<double> ours, papers;
    for (const LayoutCell& cell : cells) {
      if (cell.paper) ours.insert(*cell.paper);
    }
    for (const PaperFigure& figure : paper_figures()) {
      if (figure.table == number) papers.insert(figure.value);
    }
    EXPECT_EQ(ours, papers) << "table " << number;
  }
}

TEST(RunTracks, LatencyComesInStepsOfFourPercent) {
  std::vector<double> seconds(250, 2e-6);
  std::fill(seconds.begin() + 240, seconds.end(), 8e-6);
  const Track track = latency_track(seconds);
  ASSERT_EQ(track.rows.size(), 25u);
  EXPECT_EQ(track.rows[0][1], 4);
  EXPECT_DOUBLE_EQ(track.rows[0][2], 2);
  EXPECT_DOUBLE_EQ(track.rows[24][2], 8);
}

TEST(Leaderboard, RunsThatDifferInTheSeedAreOneRow) {
  const TemporaryFolder folder;
  Played played("table1");
  std::filesystem::create_directories(folder / "mine/deep");
  for (std::size_t i = 0; i < played.runs.size(); ++i) {
    for (std::uint64_t seed : {0, 1}) {
      played.runs[i].seed = seed;
      RunResult result = played.results[i];
      *result.strict.all += 0.02 * static_cast<double>(seed);
      const auto record = run_record(played.runs[i], result, played.data[played.runs[i].data], {},
                                     {"1.0", "abc", "chip", "2026-01-31T12:00:00Z", 2});
      std::ofstream(folder / ("mine/deep/" + std::to_string(2 * i + seed) + ".json"))
          << record.dump();
    }
  }
  std::ofstream(folder / "mine/table1.json") << R"({"rows": []})";
  const auto board = read_leaderboard(folder.path());
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_EQ(board->records, 8u);
  ASSERT_EQ(board->tables.size(), 2u);
  const report::Table& cub = board->tables[0];
  ASSERT_EQ(cub.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(cub.rows[0][0]), "paco") << "the best is first";
  EXPECT_EQ(std::get<std::int64_t>(cub.rows[0][4]), 2);
  EXPECT_NEAR(std::get<double>(cub.rows[0][5]), 0.71, 1e-12);
  std::ofstream(folder / "mine/half.json") << R"({"format": "paco-run-1", "label": "x"})";
  const auto damaged = read_leaderboard(folder.path());
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.error().message, HasSubstr("half.json"));
  const TemporaryFolder empty;
  EXPECT_FALSE(read_leaderboard(empty.path()).ok());
}

}  // namespace
}  // namespace paco::study
