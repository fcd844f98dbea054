// Images as plain arrays of pixels: IDX (MNIST and its relatives) and CIFAR's binary files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/files.hpp"
#include "base/try.hpp"
#include "data/element.hpp"
#include "data/image_codec.hpp"
#include "data/image_sources.hpp"

namespace paco {
namespace {

constexpr const char* kFashionFolder = "/usr/share/datasets/fashion-mnist";

Error damaged(const std::string& path, std::string_view what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
               "download or copy the file again"};
}

std::vector<std::string> numbers_as_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

// An IDX header: two zero bytes, type 8 (bytes), the number of axes, then each axis as a big-endian
// 32-bit number.
struct IdxArray {
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> data;
};

Result<IdxArray> parse_idx(std::span<const std::byte> bytes, std::size_t axes,
                           const std::string& path) {
  const std::size_t start = 4 + 4 * axes;
  constexpr std::array<std::byte, 3> kMagic = {std::byte{0}, std::byte{0}, std::byte{8}};
  if (bytes.size() < start || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()) ||
      bytes[3] != static_cast<std::byte>(axes)) {
    return damaged(path, fmt::format("not an IDX file of bytes with {} dimension{}", axes,
                                     axes == 1 ? "" : "s"));
  }
  IdxArray array;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::uint32_t size;
    std::memcpy(&size, bytes.data() + 4 + 4 * axis, 4);
    array.shape.push_back(__builtin_bswap32(size));
  }
  array.data = bytes.subspan(start);
  if (count_elements(array.shape) != array.data.size()) {
    return damaged(path, fmt::format("its header claims {} and {} bytes follow",
                                     fmt::join(array.shape, " x "), array.data.size()));
  }
  return array;
}

// Grey pixels, repeated for the three channels.
class IdxImages final : public ImageSource {
 public:
  IdxImages(IdxArray images, IdxArray labels, std::vector<std::string> classes,
            std::vector<std::shared_ptr<const void>> owners)
      : images_(std::move(images)),
        labels_(std::move(labels)),
        classes_(std::move(classes)),
        owners_(std::move(owners)) {}

  std::size_t size() const override { return images_.shape[0]; }
  std::int64_t label(std::size_t i) const override {
    return labels_.data.empty() ? -1 : std::to_integer<std::int64_t>(labels_.data[i]);
  }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return classes_; }
  Result<Image> load(std::size_t i) const override {
    PACO_ASSIGN(Image image,
                make_image(images_.shape[2], images_.shape[1], images_.data.size(), name(i)));
    const auto grey =
        images_.data.subspan(i * image.width * image.height, image.width * image.height);
    for (std::size_t p = 0; p < grey.size(); ++p) {
      std::fill_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(3 * p), 3,
                  std::to_integer<std::uint8_t>(grey[p]));
    }
    return image;
  }

 private:
  IdxArray images_, labels_;
  std::vector<std::string> classes_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// Records of one or two label bytes and three planes of 32 x 32 pixels, in one or more files.
class CifarImages final : public ImageSource {
 public:
  static constexpr std::size_t kSide = 32, kPlane = kSide * kSide;

  CifarImages(std::vector<SharedBytes> files, std::size_t label_bytes,
              std::vector<std::string> classes)
      : files_(std::move(files)), label_bytes_(label_bytes), classes_(std::move(classes)) {
    for (const SharedBytes& file : files_) {
      for (std::size_t at = 0; at < file.bytes.size(); at += record_size())
        records_.push_back(file.bytes.data() + at);
    }
  }
  std::size_t record_size() const { return label_bytes_ + 3 * kPlane; }

  std::size_t size() const override { return records_.size(); }
  // CIFAR-100 has the coarse label first; the fine one is the class.
  std::int64_t label(std::size_t i) const override {
    return std::to_integer<std::int64_t>(records_[i][label_bytes_ - 1]);
  }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return classes_; }
  Result<Image> load(std::size_t i) const override {
    Image image{kSide, kSide, 3, std::vector<std::uint8_t>(3 * kPlane)};
    const std::byte* planes = records_[i] + label_bytes_;
    for (std::size_t p = 0; p < kPlane; ++p) {
      for (std::size_t c = 0; c < 3; ++c)
        image.pixels[3 * p + c] = std::to_integer<std::uint8_t>(planes[c * kPlane + p]);
    }
    return image;
  }

 private:
  std::vector<SharedBytes> files_;
  std::size_t label_bytes_;
  std::vector<std::string> classes_;
  std::vector<const std::byte*> records_;
};

}  // namespace

ImageResult open_idx(SharedBytes images, const std::string& images_path, SharedBytes labels,
                     const std::string& labels_path, std::vector<std::string> classes) {
  PACO_ASSIGN(auto pixels, parse_idx(images.bytes, 3, images_path));
  if (pixels.data.empty()) return damaged(images_path, "there are no images in it");
  IdxArray numbers;
  if (!labels_path.empty()) {
    PACO_ASSIGN(numbers, parse_idx(labels.bytes, 1, labels_path));
    if (numbers.shape[0] != pixels.shape[0]) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{} has {} images, {} has {} labels", images_path, pixels.shape[0],
                               labels_path, numbers.shape[0]),
                   "give the two files of the same part (train or test)"};
    }
    const auto largest =
        std::to_integer<std::size_t>(*std::max_element(numbers.data.begin(), numbers.data.end()));
    if (classes.empty()) classes = numbers_as_names(largest + 1);
    if (largest >= classes.size())
      return damaged(labels_path, fmt::format("label {} has no class", largest));
  }
  return ImageResult(std::make_unique<IdxImages>(std::move(pixels), std::move(numbers),
                                                 std::move(classes),
                                                 std::vector{images.owner, labels.owner}));
}

ImageResult make_cifar(std::vector<SharedBytes> files, const std::vector<std::string>& paths,
                       bool hundred, std::vector<std::string> classes) {
  if (classes.empty()) classes = numbers_as_names(hundred ? 100 : 10);
  const std::string kind = hundred ? "CIFAR-100" : "CIFAR-10";
  const std::size_t label_bytes = hundred ? 2 : 1, record = label_bytes + 3 * CifarImages::kPlane;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const auto bytes = files[f].bytes;
    if (bytes.empty() || bytes.size() % record != 0) {
      return damaged(paths[f], fmt::format("not a {} file: {} bytes are no multiple of {}", kind,
                                           bytes.size(), record));
    }
    for (std::size_t at = 0; at < bytes.size(); at += record) {
      const auto label = std::to_integer<std::size_t>(bytes[at + label_bytes - 1]);
      if (label >= classes.size()) {
        return damaged(paths[f], fmt::format("image {} has label {}; {} has {} classes",
                                             at / record, label, kind, classes.size()));
      }
    }
  }
  return ImageResult(
      std::make_unique<CifarImages>(std::move(files), label_bytes, std::move(classes)));
}

ImageResult open_cifar(const std::string& path, bool hundred) {
  std::string folder = path;
  std::vector<std::string> paths;
  if (path_kind(path) == PathKind::folder) {
    const std::string inner = path + (hundred ? "/cifar-100-binary" : "/cifar-10-batches-bin");
    if (path_kind(inner) == PathKind::folder) folder = inner;
    if (hundred) {
      paths = {folder + "/train.bin"};
    } else {
      for (int batch = 1; batch <= 5; ++batch)
        paths.push_back(fmt::format("{}/data_batch_{}.bin", folder, batch));
    }
  } else {
    paths = {path};
    const std::size_t slash = path.rfind('/');
    folder = slash == path.npos ? "." : path.substr(0, slash);
  }
  std::vector<std::string> classes;
  const std::string names_path = folder + (hundred ? "/fine_label_names.txt" : "/batches.meta.txt");
  if (path_kind(names_path) == PathKind::file) {
    PACO_ASSIGN(classes, read_class_names(names_path));
    if (classes.size() != (hundred ? 100 : 10))
      return damaged(names_path, fmt::format("it names {} classes", classes.size()));
  }
  std::vector<SharedBytes> files;
  for (const std::string& file : paths) {
    PACO_ASSIGN(auto bytes, open_bytes(file));
    files.push_back(std::move(bytes));
  }
  return make_cifar(std::move(files), paths, hundred, std::move(classes));
}

ImageResult open_fashion_mnist(bool test) {
  const std::string stem = fmt::format("{}/{}", kFashionFolder, test ? "t10k" : "train");
  const std::string images = stem + "-images-idx3-ubyte.gz",
                    labels = stem + "-labels-idx1-ubyte.gz";
  if (path_kind(images) != PathKind::file || path_kind(labels) != PathKind::file) {
    return Error{ErrorCode::not_found,
                 fmt::format("Fashion-MNIST is not installed: {} is missing", images),
                 "apt-get install dataset-fashion-mnist, or name the files with idx:IMAGES,LABELS"};
  }
  PACO_ASSIGN(auto image_bytes, open_bytes(images));
  PACO_ASSIGN(auto label_bytes, open_bytes(labels));
  return open_idx(std::move(image_bytes), images, std::move(label_bytes), labels,
                  {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                   "Sneaker", "Bag", "Ankle boot"});
}

}  // namespace paco
