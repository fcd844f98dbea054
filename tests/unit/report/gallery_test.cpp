// Which categories get pictures, and which pictures they get.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "embed/images/images.hpp"
#include "report/report.hpp"
#include "synthetic_report.hpp"

namespace paco::report {
namespace {

// Plain squares, each with its number as its grey value.
class Squares : public embed::ImageSource {
 public:
  explicit Squares(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  Result<embed::Image> load(std::size_t i) const override {
    embed::Image image;
    image.width = image.height = 8;
    image.pixels.assign(8 * 8 * 3, static_cast<std::uint8_t>(i));
    return image;
  }
  std::int64_t label(std::size_t) const override { return -1; }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return names_; }

 private:
  std::size_t size_;
  std::vector<std::string> names_;
};

TEST(Gallery, ShowsTheLargestAndTheNewestCategories) {
  const Squares squares(1000);
  testing::MadeInput input = testing::synthetic_input(1000, 4);  // 20 categories are born
  input.images = &squares;
  ReportOptions options;
  options.galleries = 6;
  const auto document = report_document(input.fold(), options);
  ASSERT_TRUE(document.ok());
  std::set<int> shown;
  for (const auto& gallery : (*document)["gallery"]["categories"])
    shown.insert(gallery["id"].get<int>());
  EXPECT_EQ(shown.size(), 6U);
  for (const int newest : {23, 22, 21}) EXPECT_TRUE(shown.count(newest)) << newest;
  EXPECT_TRUE(shown.count((*document)["memory"]["categories"][0]["id"].get<int>()));
}

TEST(Gallery, BeginsWithTheSampleThatStartedTheCategoryAndEndsWithTheLast) {
  const Squares squares(1000);
  testing::MadeInput input = testing::synthetic_input(1000, 4);
  input.images = &squares;
  const auto document = report_document(input.fold());
  ASSERT_TRUE(document.ok());
  for (const auto& row : (*document)["memory"]["categories"]) {
    for (const auto& gallery : (*document)["gallery"]["categories"]) {
      if (gallery["id"] != row["id"]) continue;
      EXPECT_EQ(gallery["pictures"].front()["sequence"], row["birth"]);
      EXPECT_EQ(gallery["pictures"].back()["sequence"], row["last"]);
      EXPECT_LE(gallery["pictures"].size(), ReportOptions{}.pictures);
    }
  }
}

TEST(Gallery, RefusesASourceThatIsTooSmall) {
  const Squares squares(10);
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.images = &squares;
  const auto document = report_document(input.fold());
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::mismatch);
}

TEST(Gallery, FollowsTheIndexFromStreamToPicture) {
  const Squares squares(10);
  testing::MadeInput input = testing::synthetic_input(100, 4);
  input.images = &squares;
  input.image_index.assign(100, 3);
  EXPECT_TRUE(report_document(input.fold()).ok());
  input.image_index[0] = -1;  // the first sample starts a category, so its picture is needed
  EXPECT_FALSE(report_document(input.fold()).ok());
}

}  // namespace
}  // namespace paco::report
