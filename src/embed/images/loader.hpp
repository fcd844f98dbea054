// Batches of views, decoded and augmented by worker threads while the consumer computes.
//
// Batches arrive in the order asked for, whatever the number of threads, and hold the same bytes.
// At most `ahead` batches are in memory beside the one being used. An image that cannot be read is
// left out of its batch and named there (or, with strict, is the error of next()). next() is called
// from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco::embed {

class ImageSource;

struct LoaderSettings {
  int input = 224;          // side of a view
  int views = 1;            // views per sample
  bool augment = false;     // random placements (training) instead of the centre
  std::uint64_t seed = 0;   // of the augmentation
  std::uint64_t epoch = 0;  // of the augmentation
  std::size_t batch = 128;  // samples a batch; the last one may be smaller
  unsigned threads = 1;     // worker threads, at least 1
  std::size_t ahead = 4;    // batches prepared before they are asked for
  bool strict = false;      // an unreadable image ends the run
  // Where pixels live; a GPU user passes pinned memory. Called from worker threads. Default: the
  // heap.
  std::function<std::shared_ptr<std::uint8_t[]>(std::size_t bytes)> allocate;
};

struct SkippedImage {
  std::size_t sample = 0;  // index in the source
  std::string name;
  Error error;
};

struct Batch {
  std::vector<std::size_t>
      samples;  // indices in the source of the images that are here, in the order asked for
  int input = 0;
  int views = 0;
  // (views, samples, input, input, 3): first view 0 of every sample, then view 1.
  std::shared_ptr<std::uint8_t[]> pixels;
  std::vector<SkippedImage> skipped;
  std::size_t asked = 0;  // samples.size() + skipped.size()
};

class Loader {
 public:
  // `order` lists the samples to deliver (indices in the source, repeats allowed). The source must
  // outlive the loader.
  Loader(const ImageSource& source, std::vector<std::size_t> order, LoaderSettings settings,
         std::stop_token stop = {});
  ~Loader();  // stops and joins the workers
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch, nothing after the last one, or an error (unreadable image with strict;
  // interrupted).
  Result<std::optional<Batch>> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace paco::embed
