// Recorded evaluations: made cases, and the recorded decisions of the golden streams with their
// Strict and Greedy shares.
#include "evaluate/evaluation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "io/npy.hpp"

namespace paco {
namespace {

using nlohmann::json;

const std::string kGolden = PACO_SOURCE_DIR "/tests/golden/";

json read_json(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

evaluate::EvaluationOptions keeping(evaluate::Keep keep) {
  evaluate::EvaluationOptions options;
  options.keep = keep;
  options.resamples = 0;
  return options;
}

void expect_split(const evaluate::SplitAccuracy& split, const json& expected,
                  const std::string& what) {
  EXPECT_NEAR(split.all.value().value(), expected[0].get<double>(), 1e-12) << what << " all";
  EXPECT_NEAR(split.old.value().value(), expected[1].get<double>(), 1e-12) << what << " old";
  EXPECT_NEAR(split.novel.value().value(), expected[2].get<double>(), 1e-12) << what << " new";
}

TEST(GoldenEvaluation, MadeCasesScoreAsRecorded) {
  const json cases = read_json(kGolden + "evaluation/cases.json");
  ASSERT_EQ(cases.size(), 5u);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto truth = cases[c]["truth"].get<std::vector<std::int64_t>>();
    const auto predicted = cases[c]["predicted"].get<std::vector<std::int64_t>>();
    evaluate::EvaluationInput input;
    input.truth = truth;
    input.predicted = predicted;
    input.known_classes = cases[c]["n_known"].get<std::int64_t>();
    for (const evaluate::Keep keep : {evaluate::Keep::top, evaluate::Keep::all}) {
      const auto result = evaluate::evaluate(input, keeping(keep));
      ASSERT_TRUE(result.ok()) << result.error().message;
      const std::string key = "keep_" + std::string(evaluate::keep_name(keep));
      const std::string what = "case " + std::to_string(c) + " " + key;
      expect_split(result->scores.strict, cases[c][key]["strict"], what + " strict");
      expect_split(result->scores.greedy, cases[c][key]["greedy"], what + " greedy");
    }
  }
}

// The recorded decisions of one stream against the recorded scores.
void expect_recorded_stream(const std::string& folder) {
  const json expected = read_json(folder + "/expected.json");
  const auto predicted = io::read_npy<std::int64_t>(folder + "/expected_category.npy");
  const auto truth = io::read_npy<std::int64_t>(folder + "/stream_labels.npy");
  ASSERT_TRUE(predicted.ok()) << predicted.error().message;
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  evaluate::EvaluationInput input;
  input.predicted = predicted->data;
  input.truth = truth->data;
  input.known_classes = expected["n_known"].get<std::int64_t>();
  const auto result = evaluate::evaluate(input, keeping(evaluate::Keep::top));
  ASSERT_TRUE(result.ok()) << result.error().message;
  expect_split(result->scores.strict, expected["strict"], folder + " strict");
  expect_split(result->scores.greedy, expected["greedy"], folder + " greedy");
  EXPECT_EQ(result->scores.clusters_seen, expected["clusters_seen"].get<std::int64_t>()) << folder;
}

class GoldenStream : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenStream, RecordedDecisionsScoreAsRecorded) {
  expect_recorded_stream(kGolden + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Streams, GoldenStream,
                         ::testing::Values("tiny", "overlap", "wide", "temperature", "no_routing",
                                           "static_birth"),
                         [](const auto& suite) { return std::string(suite.param); });

class SharedStream : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedStream, RecordedDecisionsScoreAsRecorded) {
  const char* shared = std::getenv("PACO_SHARED");
  const std::string folder = (shared ? std::string(shared) : PACO_SOURCE_DIR "/../shared") +
                             std::string("/data/") + GetParam();
  if (core::path_kind(folder) != core::PathKind::folder) {
    GTEST_SKIP() << folder << " is absent; set PACO_SHARED to the folder that holds data/";
  }
  expect_recorded_stream(folder);
}

INSTANTIATE_TEST_SUITE_P(Streams, SharedStream, ::testing::Values("cub-finetuned", "cub-frozen"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace paco
