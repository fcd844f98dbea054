// Embedding images gives the same rows for any batch and any interruption.
#include "embed/embed_images.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>

#include "core/files.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/images/images.hpp"

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

// 50 images of which number 20 cannot be read. After `until` loads a stop is requested.
class MadeImages final : public ImageSource {
 public:
  std::size_t size() const override { return 50; }
  Result<Image> load(std::size_t i) const override {
    if (loads_++ == until) stop.request_stop();
    if (i == 20) return Error{ErrorCode::bad_format, "no image format is known", ""};
    Image image{12, 12, 3, std::vector<std::uint8_t>(12 * 12 * 3)};
    for (std::size_t p = 0; p < image.pixels.size(); ++p)
      image.pixels[p] = static_cast<std::uint8_t>(p * (i + 1));
    return image;
  }
  std::int64_t label(std::size_t) const override { return -1; }
  std::string name(std::size_t i) const override { return std::to_string(i) + ".jpg"; }
  const std::vector<std::string>& class_names() const override { return none_; }

  std::size_t until = 1000;
  mutable std::stop_source stop;

 private:
  std::vector<std::string> none_;
  mutable std::atomic<std::size_t> loads_ = 0;
};

class EmbedToFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "embed_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    order_.resize(50);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    options_.batch = 4;
    options_.part_rows = 8;
    options_.out = folder_ + "/x.npy";
    embedder_ = std::move(open_cpu_backbone(*make_spec("small", 8), "", {})).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<EmbedReport> embed(MadeImages& source) {
    core::NoProgress progress;
    return embed_to_file(source, order_, *embedder_, options_, progress, source.stop.get_token());
  }
  std::string bytes() const {
    const auto file = core::read_file(options_.out);
    return file.ok() ? std::string(reinterpret_cast<const char*>(file->data()), file->size()) : "";
  }
  std::size_t files() const { return core::list_folder(folder_)->size(); }

  std::string folder_;
  std::vector<std::size_t> order_;
  EmbedFileOptions options_;
  std::unique_ptr<ImageEmbedder> embedder_;
};

TEST_F(EmbedToFile, SkipsAnUnreadableImageAndSaysWhich) {
  MadeImages source;
  const auto report = embed(source);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->samples.size(), 49u);
  ASSERT_EQ(report->skipped.size(), 1u);
  EXPECT_EQ(report->skipped[0].name, "20.jpg");
  EXPECT_EQ(files(), 1u) << "parts stay behind";
}

TEST_F(EmbedToFile, StrictStopsThere) {
  MadeImages source;
  options_.strict = true;
  const auto report = embed(source);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("20.jpg"));
}

TEST_F(EmbedToFile, InterruptedAndResumedGivesTheSameBytes) {
  MadeImages whole;
  ASSERT_TRUE(embed(whole).ok());
  const std::string expected = bytes();
  ASSERT_FALSE(expected.empty());
  std::filesystem::remove(options_.out);

  options_.resume = true;
  int interruptions = 0;
  for (bool done = false; !done; ++interruptions) {
    ASSERT_LT(interruptions, 50);
    MadeImages source;
    source.until = 25;
    const auto report = embed(source);
    done = report.ok();
    if (done) {
      EXPECT_EQ(report->skipped.size(), 1u);
      EXPECT_EQ(report->samples.size(), 49u);
    } else {
      EXPECT_EQ(report.error().code, ErrorCode::interrupted) << report.error().message;
    }
  }
  EXPECT_GE(interruptions, 2);
  EXPECT_EQ(bytes(), expected);
  EXPECT_EQ(files(), 1u);
}

TEST_F(EmbedToFile, PartsOfAnotherRunAreRefusedOrRemoved) {
  MadeImages source;
  source.until = 25;
  ASSERT_FALSE(embed(source).ok());
  ASSERT_GE(files(), 1u);
  options_.batch = 2;
  options_.resume = true;
  MadeImages again;
  const auto resumed = embed(again);
  ASSERT_FALSE(resumed.ok());
  EXPECT_EQ(resumed.error().code, ErrorCode::mismatch);
  options_.resume = false;
  MadeImages fresh;
  ASSERT_TRUE(embed(fresh).ok());
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace paco::embed
