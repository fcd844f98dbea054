// Progress is shown at the right moments, judged with a clock that the test moves by hand.
#include "core/progress.hpp"

#include <gmock/gmock.h>

namespace paco::core {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A sink that keeps the text and a clock that a test moves by hand.
struct Stage {
  std::string text;
  double now = 100.0;
  TextSink sink() {
    return [this](std::string_view more) { text += more; };
  }
  Clock clock() {
    return [this] { return now; };
  }
};

TEST(ProgressRows, ComeAtPowersOfTwoAndAtTheEnd) {
  Stage stage;
  const auto progress = make_progress_rows(stage.sink(), stage.clock());
  progress->start("embed", "images", 11);
  for (std::uint64_t i = 1; i <= 11; ++i) {
    stage.now += 0.5;
    progress->update(i, i == 8 ? "half way" : "");
  }
  progress->finish();
  EXPECT_EQ(stage.text,
            "embed: 11 images\n"
            "      images    seconds   per second     left\n"
            "           1      0.500          2.0     0:05\n"
            "           2      1.000          2.0     0:05\n"
            "           4      2.000          2.0     0:04\n"
            "           8      4.000          2.0     0:02  half way\n"
            "          11      5.500          2.0     0:00\n");
}

TEST(ProgressRows, AJumpOverSeveralPowersGivesOneRow) {
  Stage stage;
  const auto progress = make_progress_rows(stage.sink(), stage.clock());
  progress->start("discover", "samples", std::nullopt);
  stage.now += 1;
  progress->update(256);
  progress->update(300);
  progress->update(512);
  progress->finish();
  EXPECT_EQ(stage.text,
            "discover: samples\n"
            "     samples    seconds   per second     left\n"
            "         256      1.000        256.0        -\n"
            "         512      1.000        512.0        -\n");
}

TEST(ProgressBar, ShowsShareRateAndRemainingTime) {
  Stage stage;
  const auto progress = make_progress_bar(stage.sink(), stage.clock(), 120);
  progress->start("embed", "images", 400);
  stage.now += 10;
  stage.text.clear();
  progress->update(100, "loss 0.5");
  EXPECT_EQ(
      stage.text,
      "\r\x1b[Kembed [######..................]  25% 100/400 images, 10/s, 0:30 left, loss 0.5");
  progress->finish();
  EXPECT_EQ(stage.text.back(), '\n');
}

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  Stage stage;
  const auto progress = make_progress_bar(stage.sink(), stage.clock());
  progress->start("embed", "images", 1000);
  stage.text.clear();
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    stage.now += 0.001;
    progress->update(i);
  }
  EXPECT_LE(std::count(stage.text.begin(), stage.text.end(), '\r'), 10);
}

TEST(ProgressBar, NeverFillsTheLineAndCountsWithoutATotal) {
  Stage stage;
  const auto progress = make_progress_bar(stage.sink(), stage.clock(), 40);
  progress->start("discover", "samples", std::nullopt);
  stage.now += 1;
  stage.text.clear();
  progress->update(123, std::string(100, 'x'));
  EXPECT_THAT(stage.text, HasSubstr("discover 123 samples, 123/s"));
  EXPECT_THAT(stage.text, Not(HasSubstr("left")));
  EXPECT_LT(stage.text.size(), 40 + std::string("\r\x1b[K").size());
}

TEST(Progress, DurationsAreForPeople) {
  EXPECT_EQ(format_duration(7.4), "0:07");
  EXPECT_EQ(format_duration(760), "12:40");
  EXPECT_EQ(format_duration(11109), "3:05:09");
  EXPECT_EQ(format_duration(-1), "-");
}

}  // namespace
}  // namespace paco::core
