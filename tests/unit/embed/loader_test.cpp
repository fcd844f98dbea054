// The loader gives the same bytes for any number of threads, and names what it cannot read.
#include "embed/images/loader.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "embed/images/images.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Images of mixed sizes whose brightness is their number; some cannot be read.
class SyntheticImages final : public ImageSource {
 public:
  SyntheticImages(std::size_t size, std::vector<std::size_t> broken = {})
      : size_(size), broken_(std::move(broken)) {}
  std::size_t size() const override { return size_; }
  Result<Image> load(std::size_t i) const override {
    ++loads;
    ++inside;
    const Result<Image> image = make(i);
    --inside;
    return image;
  }
  std::int64_t label(std::size_t) const override { return -1; }
  std::string name(std::size_t i) const override { return "image" + std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return none_; }

  mutable std::atomic<int> loads = 0;   // so far
  mutable std::atomic<int> inside = 0;  // at this moment

 private:
  Result<Image> make(std::size_t i) const {
    if (std::count(broken_.begin(), broken_.end(), i) > 0)
      return Error{ErrorCode::bad_format, "the JPEG ends early", ""};
    const std::size_t width = 9 + i % 5, height = 8 + i % 7;
    Image image{width, height, 3, std::vector<std::uint8_t>(width * height * 3)};
    for (std::size_t p = 0; p < image.pixels.size(); ++p)
      image.pixels[p] = static_cast<std::uint8_t>(i * 3 + (p * 13) % 50);
    return image;
  }

  std::size_t size_;
  std::vector<std::size_t> broken_;
  std::vector<std::string> none_;
};

struct Delivered {
  std::vector<std::size_t> samples;
  std::vector<std::uint8_t> pixels;
  std::vector<std::string> skipped;
};

LoaderSettings training_settings(unsigned threads) {
  LoaderSettings settings;
  settings.input = 8;
  settings.views = 2;
  settings.augment = true;
  settings.seed = 5;
  settings.batch = 7;
  settings.threads = threads;
  settings.ahead = 2;
  return settings;
}

Delivered deliver(const ImageSource& source, const LoaderSettings& settings) {
  std::vector<std::size_t> order(source.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  Loader loader(source, order, settings);
  Delivered all;
  while (true) {
    auto batch = loader.next();
    EXPECT_TRUE(batch.ok());
    if (!batch.ok() || !batch->has_value()) return all;
    const Batch& b = **batch;
    all.samples.insert(all.samples.end(), b.samples.begin(), b.samples.end());
    const std::size_t bytes =
        b.samples.size() * static_cast<std::size_t>(b.views * b.input * b.input * 3);
    all.pixels.insert(all.pixels.end(), b.pixels.get(), b.pixels.get() + bytes);
    for (const auto& skipped : b.skipped) all.skipped.push_back(skipped.name);
    EXPECT_EQ(b.asked, b.samples.size() + b.skipped.size());
  }
}

TEST(Loader, DeliversTheSameBytesForAnyNumberOfThreads) {
  const SyntheticImages source(60, {3, 17});
  const Delivered one = deliver(source, training_settings(1));
  EXPECT_EQ(one.samples.size(), 58u);
  for (const unsigned threads : {2u, 5u}) {
    const Delivered many = deliver(source, training_settings(threads));
    EXPECT_EQ(many.samples, one.samples) << threads;
    EXPECT_EQ(many.pixels, one.pixels) << threads;
  }
}

TEST(Loader, LeavesUnreadableImagesOutAndNamesThem) {
  const SyntheticImages broken(20, {2, 19}), whole(20);
  const Delivered with = deliver(broken, training_settings(3)),
                  without = deliver(whole, training_settings(3));
  EXPECT_THAT(with.skipped, ElementsAre("image19", "image2"));
  EXPECT_EQ(std::count(with.samples.begin(), with.samples.end(), 2), 0);
  // What is there is what would have been there: the last batch of a view has image 0 at its end
  // either way.
  EXPECT_TRUE(std::equal(with.pixels.end() - 8 * 8 * 3, with.pixels.end(),
                         without.pixels.end() - 8 * 8 * 3));
}

TEST(Loader, StrictTurnsAnUnreadableImageIntoAnErrorThatNamesIt) {
  const SyntheticImages source(20, {4});
  LoaderSettings settings = training_settings(2);
  settings.strict = true;
  Loader loader(source, {0, 1, 4, 5}, settings);
  const auto batch = loader.next();
  ASSERT_FALSE(batch.ok());
  EXPECT_THAT(batch.error().message, HasSubstr("image4"));
  EXPECT_THAT(batch.error().message, HasSubstr("ends early"));
}

TEST(Loader, AnotherEpochGivesOtherViewsOfTheSameSamples) {
  const SyntheticImages source(30);
  LoaderSettings settings = training_settings(2);
  const Delivered first = deliver(source, settings);
  settings.epoch = 1;
  const Delivered second = deliver(source, settings);
  EXPECT_EQ(first.samples, second.samples);
  EXPECT_NE(first.pixels, second.pixels);
}

TEST(Loader, AStopEndsItWithInterrupted) {
  const SyntheticImages source(1000);
  std::stop_source stop;
  Loader loader(source, std::vector<std::size_t>(1000, 1), training_settings(2), stop.get_token());
  ASSERT_TRUE(loader.next().ok());
  stop.request_stop();
  const auto batch = loader.next();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code, ErrorCode::interrupted);
}

TEST(Loader, DestroyedBeforeItsEndItHasReadOnlyAFewBatchesAheadAndReadsNoMore) {
  const SyntheticImages source(100);
  const LoaderSettings settings = training_settings(3);
  {
    Loader loader(source, std::vector<std::size_t>(100, 0), settings);
    ASSERT_TRUE(loader.next().ok());
  }
  EXPECT_EQ(source.inside, 0);
  EXPECT_GE(source.loads, static_cast<int>(settings.batch));
  // The batch that was delivered, the one that would be next, and those ahead of it.
  EXPECT_LE(source.loads, static_cast<int>((2 + settings.ahead) * settings.batch));
}

}  // namespace
}  // namespace paco::embed
