// The written form of an evaluation: the promised keys, null and "-" for what is undefined, and
// lines that fit.
#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace paco::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Ids = std::vector<std::int64_t>;

evaluate::Evaluation evaluation_of(const Ids& predicted, const Ids& truth, std::int64_t known,
                                   const Ids& closed = {},
                                   const std::vector<std::string>& names = {}) {
  evaluate::EvaluationInput input;
  input.predicted = predicted;
  input.truth = truth;
  input.known_classes = known;
  input.closed = closed;
  input.class_names = names;
  auto result = evaluate::evaluate(input);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

TEST(Summary, JsonHoldsTheSharesAndTheirIntervals) {
  const auto json = evaluation_json(evaluation_of({0, 0, 2, 2}, {0, 2, 2, 2}, 2));
  EXPECT_DOUBLE_EQ(json["strict"]["all"].get<double>(), 0.75);
  EXPECT_DOUBLE_EQ(json["strict"]["old"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(json["greedy"]["new"].get<double>(), 2.0 / 3);
  EXPECT_EQ(json["clusters_seen"].get<int>(), 2);
  EXPECT_LE(json["interval"]["strict"]["all"][0].get<double>(), 0.75);
  EXPECT_GE(json["interval"]["strict"]["all"][1].get<double>(), 0.75);
  EXPECT_TRUE(json["closed"].is_null());
}

TEST(Summary, WhatIsUndefinedIsNullInJsonAndADashInText) {
  const evaluate::Evaluation evaluation = evaluation_of({0, 1}, {0, 1}, 0);
  const auto json = evaluation_json(evaluation);
  EXPECT_TRUE(json["strict"]["old"].is_null());
  EXPECT_TRUE(json["known_accuracy"].is_null());
  EXPECT_TRUE(json["interval"]["greedy"]["old"].is_null());
  EXPECT_TRUE(json["strict_ties"]["old"].is_null());
  EXPECT_THAT(json.dump(), Not(HasSubstr("nan")));
  EXPECT_THAT(evaluation_text(evaluation), HasSubstr("without matching  -"));
  EXPECT_THAT(evaluation_text(evaluation), Not(HasSubstr("nan")));
}

TEST(Summary, TheClosedSetRowHasTheSameKeysAsTheDecisions) {
  const auto json = evaluation_json(evaluation_of({0, 2, 2}, {0, 2, 2}, 2, {0, 0, 1}));
  for (const char* key : {"strict", "greedy", "known_accuracy", "clusters_seen", "nmi", "ari"}) {
    EXPECT_TRUE(json["closed"].contains(key)) << key;
  }
  EXPECT_DOUBLE_EQ(json["closed"]["known_accuracy"].get<double>(), 1.0);
}

TEST(Summary, TextSaysHowMuchTruthThereIsAndWhereTiesLeaveDoubt) {
  const std::string text = evaluation_text(evaluation_of({0, 0, 1}, {0, 1, io::kNoTruth}, 1));
  EXPECT_THAT(text, HasSubstr("samples: 3, 2 with truth (66.7 %)"));
  EXPECT_THAT(text, HasSubstr("Equally good strict matchings: old 0.0 to 100.0, new 0.0 to 100.0"));
}

TEST(Summary, BirthsAreListedAtDoublingSamplesAndAtTheEnd) {
  const Table table = birth_table(evaluation_of({0, 3, 3, 4, 0}, {0, 3, 3, 4, 4}, 2));
  ASSERT_EQ(table.rows.size(), 4u);  // after 1, 2, 4 and 5
  EXPECT_EQ(table.rows[0][1], Cell(std::int64_t{0}));
  EXPECT_EQ(table.rows[1][1], Cell(std::int64_t{1}));
  EXPECT_EQ(table.rows[3][0], Cell(std::int64_t{5}));
  EXPECT_EQ(table.rows[3][1], Cell(std::int64_t{2}));
}

TEST(Summary, TextFitsATerminalOfAHundredColumnsWhateverTheNames) {
  const std::string name(60, 'x');
  const std::string text = evaluation_text(evaluation_of(
      {0, 0, 2, 2, 1}, {0, 2, 2, 2, 0}, 2, {0, 0, 1, 1, 0}, {name, name + "y", name + "z"}));
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace paco::report
