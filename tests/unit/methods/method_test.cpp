// What every method promises through the one interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "methods/paco/paco_evidence.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
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
  EXPECT_FALSE(make_method("paco", model, {-1, {}}).ok());
  const auto odd = make_method("paco", model, {1, {{"warmth", "1"}}});
  ASSERT_FALSE(odd.ok());
  EXPECT_THAT(odd.error().message, HasSubstr("no option 'warmth'"));
}

// In the method's own space, whatever that is: cosines are dot products of unit vectors.
TEST(Method, DirectionsAreThoseOfMethodsWhoseReferencesCanBeFixed) {
  const auto data = testing::make_data({}, 3);
  const auto model = testing::calibrated(data.support_set());
  for (const std::string& name : method_names()) {
    SCOPED_TRACE(name);
    const auto method = testing::method_for(name, model);
    testing::decide_all(*method, data.stream, 32);
    const PrototypeDirections* directions = method->directions();
    ASSERT_EQ(directions != nullptr, method->info().supports(OperationKind::promote));
    if (directions == nullptr) continue;
    const auto space = directions->transform();
    ASSERT_EQ(space->dimension(), model->dimension);
    std::vector<double> bad(model->dimension, 1.0);
    bad[2] = std::nan("");
    EXPECT_THAT(space->apply(bad).error().message, HasSubstr("nan at column 2"));
    EXPECT_FALSE(space->apply(std::vector<double>(3, 1.0)).ok());
    EXPECT_TRUE(directions->direction(method->next_prototype()).empty());
    for (PrototypeId id = 0; id < method->next_prototype(); ++id) {
      const std::vector<float> direction = directions->direction(id);
      EXPECT_EQ(direction, method->editor().direction(id));
      if (direction.empty()) {
        EXPECT_EQ(method->prototype(id).members, 0);
        continue;
      }
      ASSERT_EQ(direction.size(), model->dimension);
      const auto unit = space->apply(data.stream[static_cast<std::size_t>(id) % 7]).value();
      double cosine = 0;
      for (std::size_t j = 0; j < unit.size(); ++j)
        cosine += static_cast<double>(unit[j]) * static_cast<double>(direction[j]);
      const auto exact =
          directions->cosine(id, data.stream[static_cast<std::size_t>(id) % 7]).value();
      EXPECT_NEAR(cosine, exact, 1e-6);
    }
  }
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
  Categories categories({"cat", "dog", "owl"});
  EXPECT_EQ(categories.name(2), "owl");
  EXPECT_EQ(categories.name(3), "category 3") << "also of ids that are yet to come";
  const CategoryId fresh = categories.open(3, 17);
  EXPECT_EQ(fresh, 3);
  categories.edit(fresh).name = "newt";
  EXPECT_EQ(categories.name(fresh), "newt");
  EXPECT_EQ(categories.find("newt"), fresh);
  EXPECT_EQ(categories.find("dog"), 1);
  EXPECT_EQ(categories.find("unicorn"), kNoId);
}

TEST(Method, ADiscoveredCategoryHasAFreeNameIfAClassIsCalledLikeOne) {
  Categories categories({"category 4", "dog", "category 4 (2)", "category 2"});
  for (PrototypeId p = 4; p < 6; ++p) categories.open(p, 0);
  EXPECT_EQ(categories.name(0), "category 4");
  EXPECT_EQ(categories.name(3), "category 2");
  EXPECT_EQ(categories.name(4), "category 4 (3)");
  EXPECT_EQ(categories.name(5), "category 5");
  EXPECT_EQ(categories.find("category 4"), 0);
  EXPECT_EQ(categories.share().name(4), "category 4 (3)");
}

TEST(Method, CategoriesFollowMergesAndForgetNothing) {
  Categories categories({"cat", "dog", "owl"});
  for (PrototypeId p = 3; p < 6; ++p) categories.open(p, static_cast<std::uint64_t>(p));
  const Categories before = categories.share();
  categories.edit(3).forward = 4;
  categories.edit(4).forward = 0;
  categories.edit(5).exists = false;
  EXPECT_EQ(categories.now(3), 0);
  EXPECT_EQ(categories.now(0), 0);
  EXPECT_TRUE(categories.has(3));
  EXPECT_FALSE(categories.is_live(3));
  EXPECT_FALSE(categories.has(5));
  EXPECT_FALSE(categories.has(6));
  EXPECT_FALSE(categories.has(-1));
  EXPECT_EQ(categories.find("category 4"), kNoId);
  EXPECT_EQ(before.now(3), 3) << "a shared copy stays as it was";
  EXPECT_TRUE(before.has(5));
}

TEST(Method, NamesOfEnumsAreStable) {
  EXPECT_EQ(verdict_name(Verdict::existing), "existing");
  EXPECT_EQ(verdict_name(Verdict::tentative), "tentative");
  EXPECT_EQ(kBranchNames[static_cast<int>(Branch::known_only)], "known_only");
  EXPECT_EQ(kRouteNames[static_cast<int>(Route::categories_only)], "categories_only");
  EXPECT_EQ(tie_name(Tie::high), "high");
  EXPECT_EQ(reference_choice_name(ReferenceChoice::automatic), "auto");
  for (int k = 0; k <= static_cast<int>(OperationKind::undo); ++k) {
    const auto kind = static_cast<OperationKind>(k);
    EXPECT_EQ(operation_kind(operation_name(kind)), kind);
  }
  EXPECT_FALSE(operation_kind("explode").has_value());
}

TEST(Method, WhatIsDeclaredIsEnoughToReadADecision) {
  for (const std::string& name : method_names()) {
    const MethodInfo& info = *method_info(name).value();
    EXPECT_FALSE(info.summary.empty()) << name;
    EXPECT_FALSE(info.section.empty()) << name;
    EXPECT_LE(info.evidence.size(), kMaxEvidence) << name;
    for (std::size_t f = 0; f < info.evidence.size(); ++f) {
      EXPECT_FALSE(info.evidence[f].meaning.empty()) << name << ", " << info.evidence[f].name;
      EXPECT_EQ(info.field(info.evidence[f].name), static_cast<int>(f)) << name;
    }
    EXPECT_EQ(info.field("nobody's"), -1);
  }
  EXPECT_FALSE(method_info("pacco").ok());
  EXPECT_EQ(paco_fields().size(), static_cast<std::size_t>(kMatureAfter) + 1);
  EXPECT_EQ(paco_fields()[kAttachScore].name, "attach_score");
}

TEST(Method, CheckTellsWhatDecideWouldRefuse) {
  const auto data = testing::make_data({}, 2);
  const auto model = testing::calibrated(data.support_set());
  for (const std::string& name : method_names()) {
    const auto method = testing::method_for(name, model);
    EXPECT_FALSE(method->check(data.stream[0]).has_value()) << name;
    std::vector<double> bad(data.stream[0].begin(), data.stream[0].end());
    bad[3] = std::nan("");
    ASSERT_TRUE(method->check(bad).has_value()) << name;
    EXPECT_EQ(method->check(bad)->message, "has nan at column 3") << name;
    EXPECT_EQ(method->check(bad)->code, method->decide(bad).error().code) << name;
    bad.pop_back();
    EXPECT_THAT(method->check(bad)->message, HasSubstr("11 values, the model expects 12"));
    EXPECT_EQ(method->samples(), 0u) << name;
  }
}

TEST(Method, FiguresOfPacoAgreeWithItsDecisions) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto data = testing::make_data(testing::varied_plan(seed), seed);
    const auto model = testing::calibrated(data.support_set(), testing::varied_options(seed));
    const PacoParameters p = testing::parameters_of(*model);
    for (const std::string name : {"paco", "reference"}) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const auto method = testing::method_for(name, model);
      const auto decisions = testing::decide_all(*method, data.stream, 37);
      std::map<std::string, double> expected;
      for (const auto branch : kBranchNames) expected["branches." + std::string(branch)] = 0;
      for (const auto route : kRouteNames) expected["routes." + std::string(route)] = 0;
      expected["lowest_tau_birth"] = p.tau_birth_sup;
      for (const Decision& d : decisions) {
        ++expected["branches." + std::string(kBranchNames[static_cast<int>(branch_of(d))])];
        ++expected["routes." + std::string(kRouteNames[static_cast<int>(route_of(d))])];
        expected["lowest_tau_birth"] =
            std::min(expected["lowest_tau_birth"], d.evidence[kTauBirthAfter]);
      }
      const Decision& last = decisions.back();
      expected["tau_birth"] = last.evidence[kTauBirthAfter];
      expected["eta"] = last.evidence[kEtaAfter];
      expected["mature"] = last.evidence[kMatureAfter];
      double mature = 0;
      const auto view = method->view();
      for (std::size_t k = model->known_classes(); k < view->prototypes.size(); ++k)
        mature += view->prototypes[k].members >= p.mature_size();
      EXPECT_EQ(mature, expected["mature"]);
      for (const auto& [figure, value] : expected)
        EXPECT_EQ(testing::figure(*method, figure), value) << figure;
      EXPECT_LE(testing::figure(*method, "attachable"),
                static_cast<double>(method->view()->discovered));
    }
  }
}

}  // namespace
}  // namespace paco::methods
