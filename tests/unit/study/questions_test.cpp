// A simulated person's answers: none of them change nothing, and right ones help.
#include "study/questions.hpp"

#include <gtest/gtest.h>

#include <set>

#include "study/plans.hpp"
#include "synthetic_data.hpp"

namespace paco::study {
namespace {

// So noisy that categories fall into pieces.
DataSet noisy_set() {
  testing::SyntheticData made = testing::make_data(
      {.dimension = 16, .known = 6, .novel = 8, .per_class = 12, .stream = 600, .noise = 0.8}, 3);
  DataSet data;
  data.name = "noisy";
  data.support = std::move(made.support);
  data.stream = std::move(made.stream);
  data.support_labels = std::move(made.labels);
  data.truth = std::move(made.truth);
  for (int k = 0; k < 6; ++k) data.class_names.push_back("class " + std::to_string(k));
  return data;
}

class Questions : public ::testing::Test {
 protected:
  study::Run run_of(const std::string& label, std::size_t answers) {
    study::Run run;
    const auto contender = contender_called(label);
    EXPECT_TRUE(contender.ok()) << label;
    run.contender = *contender;
    run.answers = answers;
    return run;
  }
  double strict(const std::string& label, std::size_t answers) {
    const study::Run run = run_of(label, answers);
    auto model = calibrate_run(run, data_, {});
    EXPECT_TRUE(model.ok()) << model.error().message;
    const auto result =
        execute_run(run, data_, std::make_shared<const Model>(std::move(model).value()),
                    [] { return 0.0; }, {});
    EXPECT_TRUE(result.ok()) << label << ": " << (result.ok() ? "" : result.error().message);
    return result.ok() ? result->strict.all.value_or(0) : 0;
  }

  const DataSet data_ = noisy_set();
};

TEST_F(Questions, WithoutAnswersTheStreamIsTheStream) {
  for (const std::string method : {"paco", "mirror"}) {
    const double plain = strict(method, 0);
    for (const char* asking : {"merges", "names", "looks", "questions"})
      EXPECT_EQ(strict(method + "+" + asking, 0), plain) << method << " " << asking;
  }
}

TEST_F(Questions, ManyRightAnswersHelp) {
  for (const std::string method : {"paco", "mirror"}) {
    const double plain = strict(method, 0);
    for (const char* asking : {"names", "looks", "questions"})
      EXPECT_GT(strict(method + "+" + asking, 100), plain) << method << " " << asking;
    EXPECT_GE(strict(method + "+merges", 100), plain) << method;
  }
}

TEST_F(Questions, OfVerifiedTheSecondHalfIsShown) {
  const study::Run run = run_of("mirror+verified", 4);
  auto model = calibrate_run(run, data_, {});
  ASSERT_TRUE(model.ok());
  const auto shared = std::make_shared<const Model>(std::move(model).value());
  const auto answered = decide_with_answers(run, data_, shared, {});
  ASSERT_TRUE(answered.ok()) << answered.error().message;
  EXPECT_EQ(answered->first, data_.stream.rows() / 2);
  EXPECT_EQ(answered->shown.size(), data_.stream.rows() - answered->first);
}

TEST_F(Questions, EveryRunHasAKeyOfItsOwn) {
  std::set<std::string> keys;
  for (const char* label : {"mirror", "mirror+merges", "mirror+names"}) {
    for (const std::size_t answers : {0, 5}) keys.insert(run_key(run_of(label, answers), data_));
  }
  // Without questions the number of answers does not count.
  EXPECT_EQ(keys.size(), 5u);
}

}  // namespace
}  // namespace paco::study
