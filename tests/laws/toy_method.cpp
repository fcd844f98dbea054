// A method from outside the library: the laws over all methods hold for it, too, without a line
// changed elsewhere. It joins the closest prototype if the cosine reaches a number that calibration
// reads off the support set, and starts something new if not.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/try.hpp"
#include "methods/common/joining_method.hpp"
#include "methods/common/option_table.hpp"
#include "methods/registry.hpp"

namespace paco::methods {
namespace {

struct ToyOptions {
  double share = 0.9;
};

const OptionTable<ToyOptions>& toy_options() {
  static const OptionTable<ToyOptions> table(
      "toy", {{"share", &ToyOptions::share, 0, 1, "of the lowest cosine of a support sample",
               OptionTable<ToyOptions>::kLater}});
  return table;
}

class ToyMethod final : public JoiningMethod {
 public:
  ToyMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
            const MethodOptions& options, double threshold)
      : JoiningMethod(info, std::move(model), options), threshold_(threshold) {}
  std::vector<Statistic> statistics() const override { return {{"threshold", threshold_}}; }
  std::string explain_rule(const Decision& d) const override {
    return "Sample " + std::to_string(d.sequence) + " goes to '" + categories().name(d.category) +
           "'.";
  }

 private:
  bool needs_adapting(const BestTwo&) const override { return true; }
  void choose(const Sample& sample, Decision& out) override {
    const auto exact = [&](PrototypeId id) { return cosine(sample, id); };
    BestTwo best;
    offer_best(screened_references(sample), 2, memory().reference_ids(), 0, exact, best);
    offer_best(screened_adapting(sample), 2, memory().adapting_ids(), 0, exact, best);
    out.score = best.score;
    out.threshold = threshold_;
    out.evidence[0] = best.second_score;
    const bool joins = best.score >= threshold_;
    out.prototype = joins ? best.first : kNoId;
    out.runner_up = joins ? best.second : best.first;
  }

  double threshold_;
};

Result<Section> calibrate_toy(SupportView& support, const Settings& settings) {
  double lowest = 1;
  for (const BankView& view : support.views()) lowest = std::min(lowest, view.top);
  Section section;
  section.settings = settings;
  section.numbers["lowest"] = lowest;
  return section;
}

Result<std::unique_ptr<Method>> make_toy(const MethodInfo& info, std::shared_ptr<const Model> model,
                                         const MethodOptions& options) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  PACO_ASSIGN(const ToyOptions own, toy_options().read(section->settings, options.settings));
  PACO_ASSIGN(const double lowest, section->number("lowest"));
  return std::unique_ptr<Method>(
      std::make_unique<ToyMethod>(info, std::move(model), options, own.share * lowest));
}

const bool added = [] {
  add_method({{"toy",
               "joins what is close enough",
               "toy",
               kNeedsSupport,
               toy_options().options(),
               {{"runner_up_score", "cosine", "of the runner-up"}},
               all_operations()},
              calibrate_toy,
              make_toy,
              nullptr});
  return true;
}();

TEST(ToyMethod, IsAmongTheMethodsThatTheLawsRunOver) {
  ASSERT_TRUE(added);
  const std::vector<std::string> names = method_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "toy"), 1);
}

}  // namespace
}  // namespace paco::methods
