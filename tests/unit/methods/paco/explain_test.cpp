// One sentence for every way a decision can come about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "methods/paco/paco_evidence.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Categories& zoo() {
  static const Categories categories({"cat", "dog", "owl"});
  return categories;
}

PacoParameters parameters() {
  PacoParameters p;
  p.log_p0 = 2;
  p.options.temperature = 0.5;
  return p;
}

std::string explain(const Decision& d) { return explain_paco(d, parameters(), zoo()); }

// A birth score at which the cosine is this.
double birth_score(double cosine) { return cosine / 0.5 - 2; }

void expect_one_sentence(const std::string& text) {
  EXPECT_TRUE(text.starts_with("Sample 41 ")) << text;
  EXPECT_TRUE(text.ends_with(".")) << text;
  EXPECT_EQ(text.find(". "), std::string::npos) << text;
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

Decision decision(CategoryId category, Verdict verdict, Branch branch, double score,
                  double threshold) {
  Decision d;
  d.sequence = 41;
  d.category = d.runner_up = category;
  d.verdict = verdict;
  set_branch(d, branch);
  d.score = score;
  d.threshold = threshold;
  return d;
}

TEST(Explain, KnownOnlyTellsTheMargin) {
  Decision d = decision(1, Verdict::known, Branch::known_only, 0.25, 0.125);
  d.runner_up = 2;
  d.evidence[kRunnerUpScore] = 0.1;
  const std::string text = explain(d);
  expect_one_sentence(text);
  EXPECT_THAT(text, HasSubstr("known class 'dog'"));
  EXPECT_THAT(text, HasSubstr("0.2500"));
  EXPECT_THAT(text, HasSubstr("0.1250"));
  EXPECT_THAT(text, HasSubstr("next came 'owl'"));
}

TEST(Explain, ExplainedTellsTheCosine) {
  Decision d =
      decision(5, Verdict::existing, Branch::explained, birth_score(0.75), birth_score(0.5));
  const std::string text = explain(d);
  expect_one_sentence(text);
  EXPECT_THAT(text, HasSubstr("the earlier 'category 5'"));
  EXPECT_THAT(text, HasSubstr("0.7500"));
  EXPECT_THAT(text, HasSubstr("0.5000"));
  EXPECT_THAT(text, Not(HasSubstr("next came")));
  d.category = d.runner_up = 0;
  d.verdict = Verdict::known;
  EXPECT_THAT(explain(d), HasSubstr("known class 'cat'"));
}

TEST(Explain, TheClosedSetSaysThatItNeverDiscovers) {
  const auto data = testing::make_data({}, 5);
  const auto method = testing::method_for("closed", testing::calibrated(data.support_set()));
  Decision d = testing::decide_all(*method, data.stream, 8).front();
  d.sequence = 41;
  const std::string text = method->explain(d);
  expect_one_sentence(text);
  EXPECT_THAT(text, HasSubstr("never discovers"));
  EXPECT_THAT(text, HasSubstr("next came"));
}

TEST(Explain, LeadersTellTheCosineThatWasNeeded) {
  testing::MadePlan plan;
  plan.noise = 0.8;
  const auto data = testing::make_data(plan, 5);
  const auto model = testing::calibrated(data.support_set());
  for (const std::string name : {"leader", "slc"}) {
    const auto method = testing::method_for(name, model);
    bool first = true;
    for (Decision d : testing::decide_all(*method, data.stream, 8)) {
      d.sequence = 41;
      const bool alone = first && name == "slc";
      first = false;
      EXPECT_THAT(method->explain(d), HasSubstr(alone ? "no leader yet" : "needed")) << name;
    }
  }
}

TEST(Explain, AttachTellsTheScore) {
  const std::string text = explain(decision(3, Verdict::existing, Branch::attach, 7.5, 6.25));
  expect_one_sentence(text);
  EXPECT_THAT(text, HasSubstr("joins the earlier 'category 3'"));
  EXPECT_THAT(text, HasSubstr("7.5000"));
  EXPECT_THAT(text, HasSubstr("6.2500"));
}

TEST(Explain, CreateTellsWhatFellShort) {
  // Without any prototype at all.
  Decision d = decision(3, Verdict::created, Branch::create, birth_score(-1), birth_score(0.5));
  d.evidence[kBirthScore] = birth_score(-1);
  expect_one_sentence(explain(d));
  EXPECT_THAT(explain(d), HasSubstr("nothing to compare"));
  // Known classes alone, too far to compete.
  d = decision(3, Verdict::created, Branch::create, 0.25, 0.5);
  d.runner_up = 2;
  expect_one_sentence(explain(d));
  EXPECT_THAT(explain(d), HasSubstr("'owl' has cosine 0.2500"));
  EXPECT_THAT(explain(d), HasSubstr("no category yet"));
  // The birth test failed and there was nothing to attach to.
  d.evidence[kBirthScore] = d.score = birth_score(0.25);
  d.threshold = birth_score(0.5);
  expect_one_sentence(explain(d));
  EXPECT_THAT(explain(d), HasSubstr("cosine 0.2500, below the 0.5000"));
  // Attaching was considered.
  d.category = 9;
  d.runner_up = 4;
  d.evidence[kAttachScore] = d.score = 5;
  d.threshold = 6;
  expect_one_sentence(explain(d));
  EXPECT_THAT(explain(d), HasSubstr("starts 'category 9'"));
  EXPECT_THAT(explain(d), HasSubstr("5.0000 (with 'category 4')"));
}

TEST(Explain, EveryDecisionOfEveryMethodReadsAsOneSentence) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto data = testing::make_data(testing::varied_plan(seed), seed);
    const auto model = testing::calibrated(data.support_set(), testing::varied_options(seed));
    for (const std::string& name : method_names()) {
      const auto method = testing::method_for(name, model);
      for (Decision d : testing::decide_all(*method, data.stream, 64)) {
        d.sequence = 41;
        const std::string text = method->explain(d);
        expect_one_sentence(text);
        EXPECT_THAT(text, HasSubstr(method->categories().name(d.category)));
      }
    }
  }
}

}  // namespace
}  // namespace paco::methods
