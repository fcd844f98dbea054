// A batch for an ImageEmbedder from images in memory: the centre of each, resized to the network's
// input size. For images of a data set, which other threads decode, use the Loader.
#pragma once

#include <memory>

#include "embed/images/images.hpp"
#include "embed/images/loader.hpp"
#include "embed/images/preprocess.hpp"

namespace paco::embed {

class CentreBatch {
 public:
  // Room for `most` images of `input` x `input`.
  CentreBatch(int input, std::size_t most) : bytes_(static_cast<std::size_t>(input) * input * 3) {
    batch_.input = input;
    batch_.views = 1;
    batch_.pixels = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[most * bytes_]);
  }

  // `sample` is the number by which the caller identifies the image.
  void add(const Image& image, std::size_t sample) {
    const auto place = centre_placement(static_cast<int>(image.width),
                                        static_cast<int>(image.height), batch_.input, image.loader);
    make_view(image, place, batch_.input,
              {batch_.pixels.get() + batch_.samples.size() * bytes_, bytes_});
    batch_.samples.push_back(sample);
    batch_.asked = batch_.samples.size();
  }

  const Batch& batch() const { return batch_; }

 private:
  const std::size_t bytes_;
  Batch batch_;
};

}  // namespace paco::embed
