// A common interface to data sets of images: folders, tar archives, IDX and CIFAR files.
//
// A data set is named by a short text, "KIND:PATH" (list in open_images). Images come as 8-bit RGB
// whatever they were stored as: an alpha channel is laid over white, and the picture is turned as
// its EXIF data say. Images are read when they are loaded (gzip files excepted, which are held in
// memory), and load() may be called from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/labels.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// How pictures are opened. upright: turned as their EXIF data say, an alpha channel laid over
// white, the longer side after resizing rounded. literature: as the released code of the field does
// it, for figures that are compared with published ones: as stored, alpha dropped, the longer side
// truncated.
enum class ImageLoader : std::uint8_t { upright, literature };

// pixels is (height, width, channels), row-major.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 3;
  std::vector<std::uint8_t> pixels;
  ImageLoader loader = ImageLoader::upright;
};

class ImageSource {
 public:
  virtual ~ImageSource() = default;

  virtual std::size_t size() const = 0;
  virtual Result<Image> load(std::size_t i) const = 0;  // thread-safe; i < size()
  virtual std::int64_t label(std::size_t i) const = 0;  // of class_names(); -1 where there is none
  virtual std::string name(std::size_t i) const = 0;    // path inside the data set, or the number
  virtual const std::vector<std::string>& class_names() const = 0;

  // Must be called before the first load(); only used for picture files.
  void set_loader(ImageLoader loader) { loader_ = loader; }
  ImageLoader loader() const { return loader_; }

 private:
  ImageLoader loader_ = ImageLoader::upright;
};

// The specification of a data set:
//   folder:PATH           one folder per class, in the order of names; or images without classes
//   tar:PATH              the same inside a tar archive, also .tar.gz
//   idx:IMAGES[,LABELS]   MNIST's format, plain or .gz
//   cifar10:PATH          the folder of the binary or the Python version (five training batches),
//   or
//                         one of its files
//   cifar100:PATH         likewise (training file, fine labels)
//   cub:PATH, cars:PATH, pets:PATH, food101:PATH, imagenet100:PATH
//                         the training images of a set of the literature in its published form and
//                         order (published_sets.hpp)
//   fashion-mnist[:test]  from Debian's package dataset-fashion-mnist
// A path alone is a folder or a tar archive, as it turns out.
Result<std::unique_ptr<ImageSource>> open_images(const std::string& spec);

// The label of every image; an error if the data set has no labels.
Result<io::Labels> image_labels(const ImageSource& source);

}  // namespace paco::embed
