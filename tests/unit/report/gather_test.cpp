// Files that belong together become one input; files that do not are refused with both names.
#include "report/gather.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "data/npy.hpp"
#include "temporary_folder.hpp"

namespace paco {
namespace {

constexpr const char* kDecisions =
    "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,assignment_score,"
    "runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score\n"
    "0,a.jpg,known,1,cat,known_only,known_only,0.5,0.3,0,1,0.5,-3,0.9,0.5,,\n"
    "1,b.jpg,created,3,category 3,create,all,-3.4,-3,0,,,-3,0.2,0.1,-3.4,\n"
    "2,c.jpg,existing,3,category 3,attach,all,2,1,3,,,-3,0.3,0.1,-3.2,2\n";
constexpr const char* kTrace =
    "sequence,category,route,branch,top_cosine,margin,birth_score,attach_score,tau_birth,tau_birth_"
    "after,eta_after,"
    "categories,mature,known_only,explained,attach,create,microseconds\n"
    "0,1,known_only,known_only,0.9,0.5,,,-3,-3,0,0,0,1,0,0,0,12\n"
    "1,3,all,create,0.2,0.1,-3.4,,-3,-3,0,1,0,1,0,0,1,13\n"
    "2,3,all,attach,0.3,0.1,-3.2,2,-3,-3.1,0.25,1,0,1,0,1,1,14\n";

class Gather : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(folder_ / name, text).ok());
    return folder_ / name;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Gather, JoinsDecisionsAndTrace) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.trace = put("trace.csv", kTrace);
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const ReportInput& input = report->input;
  ASSERT_EQ(input.samples.size(), 3U);
  EXPECT_EQ(input.samples[2].id, "c.jpg");
  EXPECT_EQ(input.samples[2].microseconds, 14);
  EXPECT_EQ(input.samples[2].decision.eta_after, 0.25);
  EXPECT_EQ(input.samples[2].decision.attach_score, 2);
  EXPECT_EQ(input.title, "decisions.csv");
}

TEST_F(Gather, FindsTheNumberOfKnownClassesInTheDecisions) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  EXPECT_EQ(gather_report(files)->input.known_classes, 3U);
  files.known = 2;
  EXPECT_EQ(gather_report(files)->input.known_classes, 2U);
}

TEST_F(Gather, RefusesATraceOfAnotherLength) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  const std::string trace = kTrace;
  files.trace = put("short.csv", trace.substr(0, trace.rfind("2,3,all")));
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::mismatch);
  EXPECT_NE(report.error().message.find("short.csv"), std::string::npos);
  EXPECT_NE(report.error().message.find("decisions.csv"), std::string::npos);
}

TEST_F(Gather, RefusesATraceOfAnotherRun) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  std::string trace = kTrace;
  trace.replace(trace.find("1,3,all"), 7, "1,4,all");
  files.trace = put("trace.csv", trace);
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::mismatch);
}

TEST_F(Gather, EvaluatesWhereThereIsTruth) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.truth = put("truth.csv", "label\n1\n4\n4\n");
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_NE(report->input.evaluation, nullptr);
  EXPECT_EQ(report->input.evaluation->scores.strict.all.correct, 3);
}

TEST_F(Gather, NovelClassesAreCalledByTheirNames) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.truth = put("truth.csv", "label\n1\n4\n4\n");
  files.classes = put("classes.txt", "wren\nrobin\nowl\nheron\nstork\n");
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->input.truth_names.at(4), "stork");
  EXPECT_EQ(report->input.evaluation->classes.back().name, "stork");
}

TEST_F(Gather, RefusesDecisionsThatAreOnlyIds) {
  ReportFiles files;
  files.decisions = folder_ / "decisions.npy";
  const std::vector<std::int64_t> ids = {0, 1, 2};
  const std::uint64_t shape[] = {3};
  ASSERT_TRUE(write_npy<std::int64_t>(files.decisions, shape, ids).ok());
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().hint.find("csv"), std::string::npos);
}

TEST_F(Gather, RefusesAPictureIndexOfAnotherLength) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.images = "folder:" + folder_.path();
  files.images_index = folder_ / "index.npy";
  const std::vector<std::int64_t> index = {0, 1};
  const std::uint64_t shape[] = {2};
  ASSERT_TRUE(write_npy<std::int64_t>(files.images_index, shape, index).ok());
  EXPECT_FALSE(gather_report(files).ok());
}

}  // namespace
}  // namespace paco
