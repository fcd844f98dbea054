// The numbers in the page's document are those of the decisions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluate/summary.hpp"
#include "made_report.hpp"
#include "report/report.hpp"

namespace paco {
namespace {

using nlohmann::ordered_json;

TEST(ReportDocument, CountsBranchesRoutesAndCategories) {
  const Model model = testing::made_model(4);
  ReportInput input = testing::made_input(400, 4);
  input.model = &model;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  const ordered_json& stream = (*document)["stream"];
  EXPECT_EQ(stream["samples"], 400);
  EXPECT_EQ(stream["known_classes"], 4);
  EXPECT_EQ(stream["categories"], 8);
  EXPECT_EQ(stream["branches"]["create"], 8);
  EXPECT_EQ(stream["routes"]["known_only"].get<int>(), stream["branches"]["known_only"].get<int>());
  int sum = 0;
  for (const auto& [name, count] : stream["branches"].items()) sum += count.get<int>();
  EXPECT_EQ(sum, 400);
  EXPECT_EQ(stream["eta"], 0.25);
  EXPECT_EQ(stream["tau_birth"], -3.1);
}

TEST(ReportDocument, ListsCategoriesLargestFirstWithTheirBirth) {
  const auto document = report_document(testing::made_input(400, 4));
  ASSERT_TRUE(document.ok());
  const ordered_json& categories = (*document)["memory"]["categories"];
  ASSERT_EQ(categories.size(), 8U);
  for (std::size_t i = 1; i < categories.size(); ++i) {
    EXPECT_GE(categories[i - 1]["size"], categories[i]["size"]) << i;
  }
  int members = 0;
  for (const auto& row : categories) {
    EXPECT_LT(row["birth"].get<int>() % 100, 2);
    members += row["size"].get<int>();
  }
  for (const auto& row : (*document)["memory"]["classes"]) members += row["size"].get<int>();
  EXPECT_EQ(members, 400);
}

TEST(ReportDocument, HistogramsHoldEveryCalibrationScore) {
  const Model model = testing::made_model(4);
  ReportInput input = testing::made_input(300, 4);
  input.model = &model;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  for (const char* key : {"hi", "birth", "create"}) {
    const ordered_json& histogram = (*document)["histograms"][key];
    int positives = 0;
    for (const auto& count : histogram["positives"]) positives += count.get<int>();
    EXPECT_EQ(positives, 50) << key;
  }
  EXPECT_DOUBLE_EQ((*document)["histograms"]["birth"]["threshold"].get<double>(),
                   model.birth.value + model.log_p0);
}

TEST(ReportDocument, CarriesTheNumbersOfTheEvaluation) {
  ReportInput input = testing::made_input(400, 4);
  std::vector<CategoryId> predicted;
  for (const ReportSample& sample : input.samples) predicted.push_back(sample.decision.category);
  EvaluationInput judged;
  judged.predicted = predicted;
  judged.truth = input.truth;
  judged.known_classes = 4;
  const auto evaluation = evaluate(judged);
  ASSERT_TRUE(evaluation.ok());
  input.evaluation = &*evaluation;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)["evaluation"]["strict"], evaluation_json(*evaluation)["strict"]);
  std::vector<std::string> keys;
  for (const auto& table : (*document)["tables"]) {
    keys.push_back(table["key"]);
    for (const auto& row : table["rows"]) EXPECT_EQ(row.size(), table["columns"].size());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"accuracy", "overview", "per_class", "confused"}));
}

TEST(ReportDocument, LeavesOutWhatTheInputDoesNotHold) {
  ReportInput input = testing::made_input(100, 4);
  input.truth.clear();
  input.has_trace = false;
  for (ReportSample& sample : input.samples) sample.decision.margin = kNotComputed;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  EXPECT_FALSE(document->contains("model"));
  EXPECT_FALSE(document->contains("evaluation"));
  EXPECT_FALSE(document->contains("gallery"));
  EXPECT_FALSE((*document)["points"].contains("margin"));
  EXPECT_FALSE((*document)["points"].contains("explanation"));
  EXPECT_TRUE((*document)["stream"]["mature"].is_null());
}

TEST(ReportDocument, ThinsPointsButKeepsEveryBirth) {
  ReportOptions options;
  options.points = 300;
  const auto document = report_document(testing::made_input(10'000, 4), options);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)["points"]["count"], 300);
  EXPECT_EQ((*document)["points"]["total"], 10'000);
}

TEST(ReportDocument, StaysUnderThreeMegabytesWithoutPicturesForALongStream) {
  const Model model = testing::made_model(20);
  ReportInput input = testing::made_input(45'000, 20);
  input.model = &model;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  // The page itself takes some 0.6 MB.
  EXPECT_LT(document->dump().size(), 2'300'000U);
}

TEST(ReportDocument, IsTheSameForTheSameInput) {
  EXPECT_EQ(report_document(testing::made_input(500, 4))->dump(),
            report_document(testing::made_input(500, 4))->dump());
}

TEST(ReportDocument, GoesByArrivalNumbersWhereAStreamWasResumed) {
  ReportInput input = testing::made_input(400, 4);
  for (ReportSample& sample : input.samples) sample.decision.sequence += 1000;
  const auto document = report_document(input);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)["stream"]["first"], 1000);
  EXPECT_EQ((*document)["series"]["shares"]["end"].back(), 1400);
  for (const auto& row : (*document)["memory"]["categories"]) EXPECT_GE(row["birth"], 1000);
}

TEST(ReportDocument, RefusesAnEmptyStream) {
  const auto document = report_document(ReportInput{});
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::bad_value);
}

TEST(ReportDocument, RefusesTruthOfAnotherLength) {
  ReportInput input = testing::made_input(100, 4);
  input.truth.pop_back();
  const auto document = report_document(input);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::bad_shape);
  EXPECT_NE(document.error().message.find("99"), std::string::npos);
}

}  // namespace
}  // namespace paco
