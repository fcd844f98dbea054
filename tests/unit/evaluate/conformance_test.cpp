// The scores of examples/conformance/evaluation.json, which scipy's assignment gave, are ours.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "evaluate/evaluation.hpp"

namespace paco::evaluate {
namespace {

std::vector<std::int64_t> right(const SplitAccuracy& s) {
  return {s.all.correct, s.old.correct, s.novel.correct};
}

TEST(Conformance, EveryCaseScoresAsRecordedUnderEveryWayOfMatching) {
  std::ifstream file(PACO_SOURCE_DIR "/examples/conformance/evaluation.json");
  const auto cases = nlohmann::json::parse(file);
  bool square_matters = false;
  for (const auto& one : cases) {
    const auto truth = one["truth"].get<std::vector<std::int64_t>>();
    const auto predicted = one["predicted"].get<std::vector<std::int64_t>>();
    EvaluationInput input;
    input.truth = truth;
    input.predicted = predicted;
    input.known_classes = one["known_classes"];
    for (const Keep keep : {Keep::top, Keep::all}) {
      std::vector<std::int64_t> rectangular;
      for (const MatchTable match : {MatchTable::rectangular, MatchTable::square}) {
        EvaluationOptions options;
        options.keep = keep;
        options.match = match;
        options.resamples = 0;
        const auto result = evaluate(input, options);
        ASSERT_TRUE(result.ok()) << result.error().message;
        const std::string key =
            std::string(keep_name(keep)) + " " + std::string(match_table_name(match));
        const auto& expected = one["right"][key];
        EXPECT_EQ(right(result->scores.strict), expected["strict"].get<std::vector<std::int64_t>>())
            << key;
        EXPECT_EQ(right(result->scores.greedy), expected["greedy"].get<std::vector<std::int64_t>>())
            << key;
        if (match == MatchTable::square)
          square_matters = square_matters || rectangular != right(result->scores.strict);
        rectangular = right(result->scores.strict);
      }
    }
  }
  EXPECT_TRUE(square_matters) << "the cases do not tell the two tables apart";
}

}  // namespace
}  // namespace paco::evaluate
