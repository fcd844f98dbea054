// What the peers promise: heads that learn, options that matter, the same bytes on any number of
// threads, and rules that are what their papers say. tests/e2e/peers judges the same rules in
// NumPy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stop_token>

#include "io/npy.hpp"
#include "sanitized.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::methods {
namespace {

using testing::decide_all;
using testing::make_data;
using testing::method_for;
using testing::quick_options;
using testing::TemporaryFolder;

std::shared_ptr<const Model> made(const testing::SyntheticData& data,
                                  const CalibrationOptions& options) {
  auto model = calibrate(data.support_set(), options);
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  return std::make_shared<const Model>(std::move(model).value());
}

std::unique_ptr<Method> with(const std::string& name, std::shared_ptr<const Model> model,
                             const Settings& settings) {
  auto method = make_method(name, std::move(model), {1, settings});
  if (!method.ok()) ADD_FAILURE() << method.error().message;
  return std::move(method).value();
}

const char* const kTrained[] = {"smile-head", "hash-head",      "mldg-head",     "diffgre-s-head",
                                "phe-head",   "diffgre-p-head", "rankstat-head", "wta-head",
                                "age-head",   "ltc-head",       "talon-head"};

TEST(Peers, TrainingGivesTheSameBytesForAnyNumberOfThreads) {
  const auto data = make_data({}, 3);
  for (const std::string name : kTrained) {
    CalibrationOptions options = quick_options(name);
    options.set("steps", 2);
    if (name != "age-head" && name != "ltc-head" && name != "talon-head") options.set("width", 40);
    const auto one = made(data, options);
    options.threads = 3;
    EXPECT_EQ(made(data, options)->fingerprint(), one->fingerprint()) << name;
    options.set("seed", 1);
    EXPECT_NE(made(data, options)->fingerprint(), one->fingerprint()) << name;
  }
}

TEST(Peers, HeadsLearnToTellTheKnownClassesApart) {
  testing::MadePlan plan;
  plan.dimension = 24;
  plan.known = 8;
  plan.per_class = 16;
  const auto data = make_data(plan, 4);
  for (const std::string name :
       {"smile-head", "hash-head", "mldg-head", "phe-head", "rankstat-head", "wta-head"}) {
    CalibrationOptions options = quick_options(name);
    options.set("steps", 60);
    options.set("width", 64);
    const auto model = made(data, options);
    const Section& section = *model->section(name).value();
    EXPECT_GT(section.number("support_purity").value(), 0.95) << name;
    // Nothing makes the outputs of RankStat and WTA agree in rank, so that a class has many codes.
    if (name != "rankstat-head" && name != "wta-head") {
      EXPECT_LT(section.number("support_codes").value(), 60) << name;
    }
  }
}

// The class whose samples' code, bit by bit what most of them have, is the closest to a code.
std::vector<std::int64_t> named_by_codes(const testing::SyntheticData& data,
                                         const std::string& name,
                                         std::shared_ptr<const Model> model) {
  const auto codes = [&](const math::Matrix<double>& rows) {
    std::vector<std::uint64_t> out;
    for (const Decision& d : decide_all(*method_for(name, model), rows, 64))
      out.push_back(static_cast<std::uint64_t>(d.evidence[0]));
    return out;
  };
  const std::size_t classes = model->known_classes();
  const std::vector<std::uint64_t> support = codes(data.support);
  std::vector<std::uint64_t> centres(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    for (int bit = 0; bit < 12; ++bit) {
      int on = 0;
      for (std::size_t i = 0; i < support.size(); ++i) {
        if (data.labels[i] == static_cast<std::int64_t>(k)) on += support[i] >> bit & 1 ? 1 : -1;
      }
      if (on > 0) centres[k] |= std::uint64_t{1} << bit;
    }
  }
  std::vector<std::int64_t> out;
  for (const std::uint64_t code : codes(data.stream)) {
    const auto closest =
        std::min_element(centres.begin(), centres.end(), [&](std::uint64_t a, std::uint64_t b) {
          return __builtin_popcountll(a ^ code) < __builtin_popcountll(b ^ code);
        });
    out.push_back(closest - centres.begin());
  }
  return out;
}

TEST(Peers, CodesNameUnseenSamplesOfKnownClassesLittleWorseThanNearestClassMeans) {
  if (PACO_SANITIZED) GTEST_SKIP() << "takes minutes here; the other tests walk the same code";
  testing::MadePlan plan;
  plan.dimension = 32;
  plan.known = 20;
  plan.novel = 1;
  plan.per_class = 10;
  plan.stream = 600;
  plan.noise = 1.1;
  const auto data = make_data(plan, 12);
  const auto share_right = [&](const auto& answers) {
    std::size_t right = 0, all = 0;
    for (std::size_t i = 0; i < data.truth.size(); ++i) {
      if (data.truth[i] >= 20) continue;
      ++all;
      right += answers[i] == data.truth[i];
    }
    return static_cast<double>(right) / static_cast<double>(all);
  };
  std::vector<std::int64_t> by_mean;
  const auto closed = made(data, quick_options("closed"));
  for (const Decision& d : decide_all(*method_for("closed", closed), data.stream, 64))
    by_mean.push_back(d.category);
  EXPECT_LT(share_right(by_mean), 0.97) << "too easy to say anything";
  for (const std::string name :
       {"smile-head", "hash-head", "phe-head", "diffgre-s-head", "diffgre-p-head"}) {
    CalibrationOptions options = quick_options(name);
    options.set("steps", 400);
    options.set("width", 64);
    const auto model = made(data, options);
    EXPECT_GT(share_right(named_by_codes(data, name, model)), share_right(by_mean) - 0.12) << name;
  }
}

TEST(Peers, AListOfCodesStartsEmptyAndOneCodeIsOneCategory) {
  const auto data = make_data({}, 5);
  for (const std::string name : {"smile-head", "rankstat-head", "wta-head"}) {
    const auto model = made(data, quick_options(name));
    const auto decisions = decide_all(*method_for(name, model), data.stream, 64);
    std::map<double, CategoryId> seen;
    for (const Decision& d : decisions) {
      const double code = d.evidence[0];
      const auto found = seen.find(code);
      ASSERT_EQ(d.verdict == Verdict::created, found == seen.end()) << name;
      if (found == seen.end()) {
        seen[code] = d.category;
      } else {
        ASSERT_EQ(d.category, found->second) << name;
        ASSERT_EQ(d.verdict, Verdict::existing);
      }
    }
    EXPECT_GT(seen.size(), 3u) << name;
  }
}

TEST(Peers, BitsAreThoseOfTheOption) {
  const auto data = make_data({}, 6);
  CalibrationOptions options = quick_options("smile-head");
  options.set("bits", 5);
  const auto method = method_for("smile-head", made(data, options));
  EXPECT_EQ(testing::figure(*method, "bits"), 5);
  for (const Decision& d : decide_all(*method, data.stream, 64)) EXPECT_LT(d.evidence[0], 32);
}

TEST(Peers, TheLiteralRuleOfPheFindsNoKnownClassWithMoreNegativeBitsThanItsRadius) {
  const auto data = make_data({}, 7);
  CalibrationOptions options = quick_options("phe-head");
  options.set("steps", 30);
  options.set("width", 32);
  const auto model = made(data, options);
  const auto& centres =
      *model->section("phe-head").value()->tensor<std::int64_t>("centres", 5).value();
  const double radius = model->section("phe-head").value()->number("radius").value();
  const auto intended = decide_all(*method_for("phe-head", model), data.stream, 64);
  const auto literal = decide_all(*with("phe-head", model, {{"rule", "literal"}}), data.stream, 64);
  std::size_t known = 0, known_literally = 0;
  for (std::size_t i = 0; i < intended.size(); ++i) {
    known += intended[i].verdict == Verdict::known;
    if (literal[i].verdict != Verdict::known) continue;
    ++known_literally;
    const auto centre =
        static_cast<std::uint64_t>(centres[static_cast<std::size_t>(literal[i].category)]);
    EXPECT_LE(12 - __builtin_popcountll(centre), radius);
  }
  EXPECT_GT(known, 20u);
  EXPECT_LT(known_literally, known);
}

TEST(Peers, SscPutsTheCalibratedThresholdInPlaceOfThePeersOwn) {
  const auto data = make_data({}, 8);
  const auto phe = made(data, quick_options("phe-head")),
             age = made(data, quick_options("age-head"));
  const Section& section = *phe->section("phe-head").value();
  EXPECT_EQ(testing::figure(*with("phe-head", phe, {{"ssc", "on"}}), "radius"),
            section.number("ssc.radius").value());
  EXPECT_EQ(testing::figure(*method_for("phe-head", phe), "radius"),
            section.number("radius").value());
  const double gate = age->section("age-head").value()->number("ssc").value();
  std::set<double> own, replaced;
  for (const Decision& d : decide_all(*method_for("age-head", age), data.stream, 64))
    own.insert(d.evidence[2]);
  for (const Decision& d : decide_all(*with("age-head", age, {{"ssc", "on"}}), data.stream, 64))
    replaced.insert(d.evidence[2]);
  EXPECT_GT(own.size(), 1u) << "a gate for each class";
  EXPECT_EQ(replaced, std::set<double>{gate});
}

TEST(Peers, SyncLearnsTheSpaceOfClassNamesAndRefusesVectorsThatDoNotFit) {
  const TemporaryFolder folder;
  const auto data = make_data({}, 13);
  const auto write = [&](const char* name, std::size_t rows, double scale) {
    core::Random random(5);
    std::vector<double> numbers(rows * 9);
    for (double& x : numbers) x = scale * random.normal();
    const std::uint64_t shape[] = {rows, 9};
    EXPECT_TRUE(io::write_npy<double>(folder / name, shape, numbers).ok());
    return folder / name;
  };
  CalibrationOptions options = quick_options("ncm-threshold");
  const auto plain = made(data, options);
  options.set("names", write("names.npy", 5, 1));
  options.set("name_steps", 100);
  const auto named = made(data, options);
  const Settings refit{{"refit", "on"}, {"samples", "4"}};
  const auto whole = with("ncm-threshold", named, refit),
             second = with("ncm-threshold", named, refit);
  const auto expected = decide_all(*whole, data.stream, 16);
  EXPECT_FALSE(testing::same_decisions(
      decide_all(*method_for("ncm-threshold", plain), data.stream, 16), expected));
  std::size_t right = 0, known = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (data.truth[i] >= 5) continue;
    ++known;
    right += expected[i].category == data.truth[i];
  }
  EXPECT_GT(2 * right, known);
  const auto first = with("ncm-threshold", named, refit);
  decide_all(*first, data.stream.view().slice(0, 70), 16);
  ASSERT_TRUE(second->restore(first->save().value(), "state").ok());
  EXPECT_TRUE(testing::same_decisions(decide_all(*second, data.stream.view().slice(70, 80), 16),
                                      std::span(expected).subspan(70)));
  for (const auto& [file, says] : std::map<std::string, std::string>{
           {write("four.npy", 4, 1), "4 vectors of names for 5 known classes"},
           {write("zero.npy", 5, 0), "row 0"},
           {folder / "absent.npy", "absent.npy"}}) {
    options.set("names", file);
    const auto refused = calibrate(data.support_set(), options);
    ASSERT_FALSE(refused.ok()) << file;
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr(says));
  }
}

TEST(Peers, ARefitMovesPrototypesAndSurvivesARestart) {
  testing::MadePlan plan;
  plan.novel = 20;
  plan.noise = 0.9;
  const auto data = make_data(plan, 9);
  CalibrationOptions options = quick_options("ncm-threshold");
  options.set("deviations", 0.5);
  const auto model = made(data, options);
  const Settings refit{{"refit", "on"}, {"samples", "4"}};
  const auto whole = with("ncm-threshold", model, refit);
  const auto expected = decide_all(*whole, data.stream, 16);
  EXPECT_GE(testing::figure(*whole, "refits"), 1);
  const auto plain = decide_all(*method_for("ncm-threshold", model), data.stream, 16);
  EXPECT_FALSE(testing::same_decisions(plain, expected));
  for (const std::size_t cut : {30, 75, 120}) {
    const auto first = with("ncm-threshold", model, refit),
               second = with("ncm-threshold", model, refit);
    decide_all(*first, data.stream.view().slice(0, cut), 16);
    ASSERT_TRUE(second->restore(first->save().value(), "state").ok());
    const auto rest = decide_all(*second, data.stream.view().slice(cut, 150 - cut), 16);
    EXPECT_TRUE(testing::same_decisions(rest, std::span(expected).subspan(cut)));
    EXPECT_EQ(second->save().value(), whole->save().value());
  }
}

TEST(Peers, AgeKeepsNoMoreSamplesOfACategoryThanItsWindow) {
  testing::MadePlan plan;
  plan.stream = 400;
  const auto data = make_data(plan, 10);
  const auto model = made(data, quick_options("age-head"));
  const auto small = with("age-head", model, {{"window", "3"}}),
             large = method_for("age-head", model);
  const auto a = decide_all(*small, data.stream, 64), b = decide_all(*large, data.stream, 64);
  EXPECT_FALSE(testing::same_decisions(a, b));
  EXPECT_LT(small->save().value().size(), large->save().value().size());
}

TEST(Peers, PrototypesOfTalonFollowTheirSamplesAndThoseOfLtcStay) {
  testing::MadePlan plan;
  plan.noise = 0.8;
  const auto data = make_data(plan, 14);
  CalibrationOptions options = quick_options("talon-head");
  options.set("steps", 30);
  const auto talon = made(data, options);
  const Settings follows{{"batch", "16"}}, stays{{"batch", "0"}};
  const auto whole = with("talon-head", talon, follows);
  const auto expected = decide_all(*whole, data.stream, 64);
  EXPECT_FALSE(testing::same_decisions(
      decide_all(*with("talon-head", talon, stays), data.stream, 64), expected));
  // A batch is of the stream, not of a call, and survives a restart in its middle.
  EXPECT_TRUE(testing::same_decisions(
      decide_all(*with("talon-head", talon, follows), data.stream, 5), expected));
  for (const std::size_t cut : {7, 16, 40}) {
    const auto first = with("talon-head", talon, follows),
               second = with("talon-head", talon, follows);
    decide_all(*first, data.stream.view().slice(0, cut), 64);
    ASSERT_TRUE(second->restore(first->save().value(), "state").ok());
    decide_all(*second, data.stream.view().slice(cut, 150 - cut), 64);
    EXPECT_EQ(second->save().value(), whole->save().value());
  }
  options = quick_options("ltc-head");
  options.set("steps", 30);
  const auto ltc = made(data, options);
  // What joined is at least as close to some prototype as what started is far from all before it.
  const auto method = method_for("ltc-head", ltc);
  const double tau = testing::figure(*method, "tau");
  EXPECT_GT(tau, 0);
  EXPECT_LT(tau, 0.995);
  for (const Decision& d : decide_all(*method, data.stream, 64))
    EXPECT_EQ(d.score >= tau, d.verdict != Verdict::created);
  EXPECT_EQ(testing::figure(*with("ltc-head", ltc, {{"ssc", "on"}}), "tau"),
            ltc->section("ltc-head").value()->number("ssc").value());
  EXPECT_EQ(testing::figure(*with("ltc-head", ltc, {{"tau", "0.75"}}), "tau"), 0.75);
}

TEST(Peers, AStoppedTrainingSaysThatItWasInterrupted) {
  const auto data = make_data({}, 11);
  std::stop_source source;
  source.request_stop();
  for (const std::string name : kTrained) {
    const auto model = calibrate(data.support_set(), quick_options(name), source.get_token());
    ASSERT_FALSE(model.ok()) << name;
    EXPECT_EQ(model.error().code, ErrorCode::interrupted);
  }
}

}  // namespace
}  // namespace paco::methods
