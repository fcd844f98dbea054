// Thresholds and decisions against recorded answers: the six made sets in this folder, and the real
// CUB embeddings where they lie beside the project.
#include <gtest/gtest.h>

#include "golden_case.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "paco/thresholds.hpp"
#include "unit/math/targets.hpp"

namespace paco::testing {
namespace {

constexpr double kTolerance = 1e-9;

void expect_close(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, kTolerance * std::max(1.0, std::abs(expected))) << what;
}

class Golden : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    const bool real = name.rfind("cub", 0) == 0;
    const std::string folder = real ? shared_folder() + "/data/" + name
                                    : std::string(PACO_SOURCE_DIR) + "/tests/golden/" + name;
    if (real && !std::filesystem::exists(folder))
      GTEST_SKIP() << "real embeddings are absent: " << folder;
    golden_ = load_case(folder);
    auto model = calibrate(golden_.support_set(), golden_.options());
    ASSERT_TRUE(model.ok()) << model.error().message;
    model_ = std::make_shared<const Model>(std::move(model).value());
  }

  void expect_recorded_decisions(Method& method, std::size_t block) {
    std::vector<Decision> decisions(golden_.stream.rows());
    for (std::size_t start = 0; start < decisions.size(); start += block) {
      const std::size_t rows = std::min(block, decisions.size() - start);
      const auto done = method.decide_block(golden_.stream.view().slice(start, rows),
                                            std::span(decisions).subspan(start, rows));
      ASSERT_TRUE(done.ok()) << done.error().message;
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const Decision& d = decisions[i];
      if (d.category != golden_.category[i] ||
          static_cast<std::int64_t>(methods::branch_of(d)) != golden_.branch[i])
        ++wrong;
      ASSERT_NEAR(d.evidence[methods::kTauBirthAfter], golden_.tau_birth_after[i],
                  kTolerance * std::abs(golden_.tau_birth_after[i]))
          << "sample " << i;
      ASSERT_NEAR(d.evidence[methods::kEtaAfter], golden_.eta_after[i], kTolerance)
          << "sample " << i;
    }
    EXPECT_EQ(wrong, 0u) << "of " << decisions.size();
  }

  GoldenCase golden_;
  std::shared_ptr<const Model> model_;
};

TEST_P(Golden, ThresholdsAreTheRecordedOnes) {
  const auto& e = golden_.expected;
  const auto parameters = paco_parameters(*model_);
  ASSERT_TRUE(parameters.ok()) << parameters.error().message;
  const PacoParameters& p = *parameters;
  expect_close(p.hi.value, e.at("tau_hi"), "tau_hi");
  expect_close(p.tau_lo, e.at("tau_lo"), "tau_lo");
  expect_close(p.birth.value, e.at("tau_birth"), "tau_birth");
  expect_close(p.tau_birth_sup, e.at("tau_birth_sup"), "tau_birth_sup");
  expect_close(p.create.value, e.at("tau_create"), "tau_create");
  expect_close(p.sigma_pos, e.at("sigma_pos"), "sigma_pos");
  expect_close(p.base_median, e.at("base_median"), "base_median");
  expect_close(p.log_p0, e.at("log_p0"), "log_p0");
  expect_close(p.hi.balanced_accuracy, e.at("balanced_accuracy").at("hi"),
               "balanced accuracy of hi");
  expect_close(p.birth.balanced_accuracy, e.at("balanced_accuracy").at("birth"), "of birth");
  expect_close(p.create.balanced_accuracy, e.at("balanced_accuracy").at("create"), "of create");
  EXPECT_EQ(model_->reference == ReferenceChoice::classifier, e.at("reference") == "classifier");
  const auto& quality = e.at("reference_stats");
  expect_close(model_->prototype_quality.accuracy, quality.at("proto").at("accuracy"),
               "prototype accuracy");
  expect_close(model_->prototype_quality.mean_margin, quality.at("proto").at("margin"),
               "prototype margin");
  if (quality.contains("classifier")) {
    expect_close(model_->classifier_quality.accuracy, quality.at("classifier").at("accuracy"),
                 "classifier accuracy");
    expect_close(model_->classifier_quality.mean_margin, quality.at("classifier").at("margin"),
                 "classifier margin");
  }
}

TEST_P(Golden, PlainReferenceDecidesAsRecorded) {
  auto method = make_method("reference", model_);
  ASSERT_TRUE(method.ok());
  expect_recorded_decisions(**method, 1);
}

TEST_P(Golden, FastEngineDecidesAsRecordedForEveryBlockSizeAndThreadCount) {
  for (const int threads : {1, 2}) {
    for (const std::size_t block : {1, 2, 7, 64, 256, 1024}) {
      SCOPED_TRACE(::testing::Message() << "block " << block << ", threads " << threads);
      auto method = make_method("paco", model_, {threads, {}});
      ASSERT_TRUE(method.ok());
      expect_recorded_decisions(**method, block);
    }
  }
}

TEST_P(Golden, EveryInstructionSetCalibratesAndDecidesAsRecorded) {
  for_every_target([&] {
    auto model = calibrate(golden_.support_set(), golden_.options());
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model->fingerprint(), model_->fingerprint());
    auto method = make_method("paco", model_);
    ASSERT_TRUE(method.ok());
    expect_recorded_decisions(**method, 64);
  });
}

INSTANTIATE_TEST_SUITE_P(Recorded, Golden,
                         ::testing::Values("tiny", "overlap", "wide", "temperature", "no_routing",
                                           "static_birth", "cub-finetuned", "cub-frozen"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace paco::testing
