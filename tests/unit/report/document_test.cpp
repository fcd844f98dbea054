// The numbers in the page's document are those of the decisions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "report/summary.hpp"
#include "synthetic_report.hpp"

namespace paco::report {
namespace {

using nlohmann::ordered_json;

TEST(ReportDocument, CountsBranchesRoutesAndCategories) {
  const auto model = testing::made_model(4);
  testing::MadeInput input = testing::synthetic_input(400, 4);
  model.put_into(input);
  const auto document = report_document(input.fold());
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
  const auto document = report_document(testing::synthetic_input(400, 4).fold());
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
  const auto model = testing::made_model(4);
  testing::MadeInput input = testing::synthetic_input(300, 4);
  model.put_into(input);
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  for (const char* key : {"hi", "birth", "create"}) {
    const ordered_json& histogram = (*document)["histograms"][key];
    int positives = 0;
    for (const auto& count : histogram["positives"]) positives += count.get<int>();
    EXPECT_EQ(positives, 50) << key;
  }
  EXPECT_DOUBLE_EQ((*document)["histograms"]["birth"]["threshold"].get<double>(),
                   testing::made_parameters().birth.value + testing::made_parameters().log_p0);
}

TEST(ReportDocument, CarriesTheNumbersOfTheEvaluation) {
  testing::MadeInput input = testing::synthetic_input(400, 4);
  std::vector<CategoryId> predicted;
  for (const ReportSample& sample : input.made) predicted.push_back(sample.category);
  evaluate::EvaluationInput evaluated;
  evaluated.predicted = predicted;
  evaluated.truth = input.truth;
  evaluated.known_classes = 4;
  const auto evaluation = evaluate::evaluate(evaluated);
  ASSERT_TRUE(evaluation.ok());
  input.evaluation = &*evaluation;
  const auto document = report_document(input.fold());
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
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.truth.clear();
  input.has_trace = false;
  for (ReportSample& sample : input.made) sample.evidence[methods::kMargin] = kNotComputed;
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  EXPECT_FALSE(document->contains("model"));
  EXPECT_FALSE(document->contains("evaluation"));
  EXPECT_FALSE(document->contains("gallery"));
  EXPECT_FALSE((*document)["points"].contains("margin"));
  EXPECT_FALSE((*document)["points"].contains("explanation"));
  EXPECT_TRUE((*document)["stream"]["mature"].is_null());
}

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// What pages that exist, and scripts that read them, look for.
TEST(ReportDocument, APacoStreamHasTheKeysItAlwaysHad) {
  const auto model = testing::made_model(4);
  testing::MadeInput input = testing::synthetic_input(400, 4);
  model.put_into(input);
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  using Keys = std::vector<std::string>;
  EXPECT_EQ(
      keys_of((*document)["stream"]),
      (Keys{"samples", "first", "known_classes", "categories", "singletons", "mature", "verdicts",
            "branches", "routes", "tau_birth", "lowest_tau_birth", "eta", "microseconds"}));
  EXPECT_EQ(keys_of((*document)["stream"]["branches"]),
            (Keys{"known_only", "explained", "attach", "create"}));
  EXPECT_EQ(keys_of((*document)["stream"]["routes"]),
            (Keys{"known_only", "categories_only", "all"}));
  EXPECT_EQ(keys_of((*document)["model"]),
            (Keys{"dimension", "support_samples", "log_p0", "tau_lo", "tau_birth_sup", "sigma_pos",
                  "base_median", "mature_size", "hi", "birth", "create", "reference", "prototype",
                  "classifier", "options"}));
  EXPECT_EQ(keys_of((*document)["model"]["options"]),
            (Keys{"temperature", "alpha", "beta", "spread", "epsilon", "replays", "seed", "tie",
                  "routing", "adaptive_birth"}));
  EXPECT_EQ(keys_of((*document)["points"]),
            (Keys{"total", "count", "shift", "first_by", "sequence", "category", "runner_up",
                  "branch", "route", "first", "truth", "top_cosine", "margin", "birth_score",
                  "attach_score", "tau_birth", "explanation"}));
  EXPECT_EQ(keys_of((*document)["series"]), (Keys{"sequence", "categories", "novel_classes", "eta",
                                                  "tau_birth", "shares", "latency", "assignment"}));
}

TEST(ReportDocument, EveryMethodHasADocumentWithWhatItHasAndWithoutWhatItHasNot) {
  const auto data = testing::make_data({}, 9);
  const auto model = testing::calibrated(data.support_set());
  for (const std::string& name : method_names()) {
    SCOPED_TRACE(name);
    const auto method = testing::method_for(name, model);
    testing::MadeInput input;
    input.fields = testing::fields_of(name);
    input.model = model.get();
    input.method = method.get();
    input.known_classes = model->known_classes();
    for (const Decision& d : testing::decide_all(*method, data.stream, 50))
      input.made.push_back({d, std::to_string(d.sequence), method->categories().name(d.category)});
    const auto document = report_document(input.fold());
    ASSERT_TRUE(document.ok()) << document.error().message;
    const ordered_json &stream = (*document)["stream"], &points = (*document)["points"];
    const bool paco = method->info().section == "paco";
    const std::vector<std::string> of_paco{"branches", "routes", "tau_birth", "lowest_tau_birth"};
    for (const std::string& key : of_paco) EXPECT_EQ(stream.contains(key), paco) << key;
    EXPECT_EQ(document->contains("histograms"), paco);
    EXPECT_EQ((*document)["model"].contains("hi"), paco);
    EXPECT_EQ(points.contains("branch"), paco);
    EXPECT_EQ(points.contains("verdict"), !paco);
    EXPECT_EQ(points.contains("birth_score"), paco);
    EXPECT_EQ((*document)["series"].contains("tau_birth"), paco);
    EXPECT_EQ(points["explanation"].size(), points["count"].get<std::size_t>());
    std::uint64_t sum = 0;
    for (const auto& [verdict, count] : stream["verdicts"].items())
      sum += count.get<std::uint64_t>();
    EXPECT_EQ(sum, input.made.size());
    sum = 0;
    for (const auto& row : (*document)["series"]["shares"]["counts"])
      for (const auto& count : row) sum += count.get<std::uint64_t>();
    EXPECT_EQ(sum, input.made.size());
    // What no plot knows is described, and its values are there.
    const ordered_json& evidence = (*document)["evidence"];
    ASSERT_FALSE(evidence.empty());
    for (const auto& field : evidence) {
      EXPECT_FALSE(field["meaning"].get<std::string>().empty());
      EXPECT_TRUE(points["evidence"].contains(field["name"].get<std::string>()));
    }
  }
}

TEST(ReportDocument, ThinsPointsButKeepsEveryBirth) {
  ReportOptions options;
  options.points = 300;
  const auto document = report_document(testing::synthetic_input(10'000, 4).fold(), options);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)["points"]["count"], 300);
  EXPECT_EQ((*document)["points"]["total"], 10'000);
}

TEST(ReportDocument, StaysUnderThreeMegabytesWithoutPicturesForALongStream) {
  const auto model = testing::made_model(20);
  testing::MadeInput input = testing::synthetic_input(45'000, 20);
  model.put_into(input);
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  // The page itself takes some 0.6 MB.
  EXPECT_LT(document->dump().size(), 2'300'000U);
}

TEST(ReportDocument, IsTheSameForTheSameInput) {
  EXPECT_EQ(report_document(testing::synthetic_input(500, 4).fold())->dump(),
            report_document(testing::synthetic_input(500, 4).fold())->dump());
}

TEST(ReportDocument, GoesByArrivalNumbersWhereAStreamWasResumed) {
  testing::MadeInput input = testing::synthetic_input(400, 4);
  for (ReportSample& sample : input.made) sample.sequence += 1000;
  const auto document = report_document(input.fold());
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

TEST(ReportDocument, NamesTheTrueClassesThatOccurAndNoOthers) {
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.truth.assign(100, 2'000'000'000);
  input.truth[0] = 1;
  input.truth[1] = io::kNoTruth;
  input.truth_names = {"wren", "owl"};
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)["memory"]["truth_names"].dump(),
            R"({"1":"owl","2000000000":"2000000000"})");
}

TEST(ReportDocument, RefusesATrueClassThatThePageCannotHold) {
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.truth[7] = std::int64_t{1} << 31;
  const auto document = report_document(input.fold());
  ASSERT_FALSE(document.ok());
  EXPECT_NE(document.error().message.find("2147483648"), std::string::npos);
}

TEST(ReportDocument, AStopIsHeard) {
  std::stop_source source;
  source.request_stop();
  const auto document =
      report_document(testing::synthetic_input(100, 4).fold(), {}, source.get_token());
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::interrupted);
}

TEST(ReportDocument, RefusesTruthOfAnotherLength) {
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.truth.pop_back();
  const auto document = report_document(input.fold());
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::bad_shape);
  EXPECT_NE(document.error().message.find("99"), std::string::npos);
}

}  // namespace
}  // namespace paco::report
