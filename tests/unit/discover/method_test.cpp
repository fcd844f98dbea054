// What every method promises through the one interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "made_data.hpp"

namespace paco {
namespace {

using ::testing::HasSubstr;

TEST(Method, NamesAreThoseOfTheCommandLine) {
  EXPECT_THAT(method_names(),
              ::testing::IsSupersetOf({"paco", "reference", "closed", "leader", "slc"}));
  const auto data = testing::make_data({}, 1);
  const auto model = testing::calibrated(data.support_set());
  for (const std::string& name : method_names()) {
    const auto method = testing::method_for(name, model);
    EXPECT_EQ(method->name(), name);
    EXPECT_EQ(&method->model(), model.get());
  }
  const auto unknown = make_method("pacco", model);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("'pacco'"));
  EXPECT_THAT(unknown.error().hint, HasSubstr("paco, "));
  EXPECT_FALSE(make_method("paco", model, {0}).ok());
}

TEST(Method, Float32EmbeddingsAreDecidedLikeTheirDoubles) {
  const auto data = testing::make_data({}, 2);
  const auto model = testing::calibrated(data.support_set());
  const auto wide = testing::method_for("paco", model), narrow = testing::method_for("paco", model);
  for (std::size_t i = 0; i < data.stream.rows(); ++i) {
    const std::vector<float> row(data.stream[i].begin(), data.stream[i].end());
    const std::vector<double> same(row.begin(), row.end());
    EXPECT_TRUE(testing::same_decision(narrow->decide(row).value(), wide->decide(same).value()));
  }
}

TEST(Method, CategoryNamesAreClassNamesOrNumbers) {
  Model model;
  model.class_names = {"cat", "dog", "owl"};
  EXPECT_EQ(category_name(2, model), "owl");
  EXPECT_EQ(category_name(3, model), "category 3");
}

TEST(Method, NamesOfEnumsAreStable) {
  EXPECT_EQ(verdict_name(Verdict::existing), "existing");
  EXPECT_EQ(branch_name(Branch::known_only), "known_only");
  EXPECT_EQ(route_name(Route::categories_only), "categories_only");
  EXPECT_EQ(tie_name(Tie::high), "high");
  EXPECT_EQ(reference_choice_name(ReferenceChoice::automatic), "auto");
}

TEST(Method, WhatIsPublishedAgreesWithTheDecisions) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto data = testing::make_data(testing::varied_plan(seed), seed);
    const auto model = testing::calibrated(data.support_set(), testing::varied_options(seed));
    for (const std::string& name : method_names()) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const auto method = testing::method_for(name, model);
      const auto before = method->published();
      const auto decisions = testing::decide_all(*method, data.stream, 37);
      const auto view = method->published();

      std::vector<std::int64_t> sizes(model->class_sizes);
      std::vector<std::uint64_t> births;
      for (const Decision& d : decisions) {
        if (d.verdict == Verdict::created) {
          sizes.push_back(0);
          births.push_back(d.sequence);
        }
        ++sizes.at(static_cast<std::size_t>(d.category));
      }
      EXPECT_EQ(view->samples, decisions.size());
      EXPECT_EQ(view->class_names, model->class_names);
      ASSERT_EQ(view->class_sizes.size() + view->categories.size(), sizes.size());
      std::size_t mature = 0;
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (k < view->class_sizes.size()) {
          EXPECT_EQ(view->class_sizes[k], sizes[k]);
          continue;
        }
        const CategoryInfo& c = view->categories[k - view->class_sizes.size()];
        EXPECT_EQ(c.id, static_cast<CategoryId>(k));
        EXPECT_EQ(c.name, "category " + std::to_string(k));
        EXPECT_EQ(c.size, sizes[k]);
        EXPECT_EQ(c.birth, births[k - view->class_sizes.size()]);
        EXPECT_GE(c.resultant_length, 0);
        EXPECT_LE(c.resultant_length, 1 + 1e-6);
        EXPECT_EQ(c.mature, c.size >= model->mature_size());
        if (c.size == 1) {
          EXPECT_EQ(c.concentration, 0);
        }
        mature += c.mature;
      }
      EXPECT_EQ(view->tau_birth, decisions.back().tau_birth_after);
      EXPECT_EQ(view->eta, decisions.back().eta_after);
      EXPECT_EQ(mature, decisions.back().mature_after);
      EXPECT_EQ(before->samples, 0u) << "an earlier view does not change";
      EXPECT_TRUE(before->categories.empty());

      const MethodStats stats = method->stats();
      EXPECT_EQ(stats.samples, decisions.size());
      EXPECT_EQ(std::accumulate(stats.branches, stats.branches + 4, 0ull), stats.samples);
      EXPECT_EQ(std::accumulate(stats.routes, stats.routes + 3, 0ull), stats.samples);
      double lowest = model->tau_birth_sup;
      for (const Decision& d : decisions) lowest = std::min(lowest, d.tau_birth_after);
      EXPECT_EQ(stats.lowest_tau_birth, lowest);
    }
  }
}

}  // namespace
}  // namespace paco
