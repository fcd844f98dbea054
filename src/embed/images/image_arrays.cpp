// Images as plain arrays of pixels: IDX (MNIST and its relatives) and CIFAR.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/cifar_pickle.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/image_sources.hpp"
#include "io/element.hpp"

namespace paco::embed {
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
  std::uint64_t offset = 0, size = 0;  // of the numbers
};

Result<IdxArray> parse_idx(const io::FileBytes& bytes, std::size_t axes, const std::string& path) {
  const std::size_t start = 4 + 4 * axes;
  constexpr std::array<std::byte, 3> kMagic = {std::byte{0}, std::byte{0}, std::byte{8}};
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head, bytes.at(0, std::min<std::uint64_t>(bytes.size(), start), buffer));
  if (head.size() < start || !std::equal(kMagic.begin(), kMagic.end(), head.begin()) ||
      head[3] != static_cast<std::byte>(axes)) {
    return damaged(path, fmt::format("not an IDX file of bytes with {} dimension{}", axes,
                                     axes == 1 ? "" : "s"));
  }
  IdxArray array;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::uint32_t size;
    std::memcpy(&size, head.data() + 4 + 4 * axis, 4);
    array.shape.push_back(__builtin_bswap32(size));
  }
  array.offset = start;
  array.size = bytes.size() - start;
  if (io::count_elements(array.shape) != array.size) {
    return damaged(path, fmt::format("its header claims {} and {} bytes follow",
                                     fmt::join(array.shape, " x "), array.size));
  }
  return array;
}

// Grey pixels, repeated for the three channels.
class IdxImages final : public ImageSource {
 public:
  IdxImages(io::FileBytes bytes, IdxArray images, std::vector<std::byte> labels,
            std::vector<std::string> classes)
      : bytes_(std::move(bytes)),
        images_(std::move(images)),
        labels_(std::move(labels)),
        classes_(std::move(classes)) {}

  std::size_t size() const override { return images_.shape[0]; }
  std::int64_t label(std::size_t i) const override {
    return labels_.empty() ? -1 : std::to_integer<std::int64_t>(labels_[i]);
  }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return classes_; }
  Result<Image> load(std::size_t i) const override {
    PACO_ASSIGN(Image image, make_image(images_.shape[2], images_.shape[1], images_.size, name(i)));
    const std::size_t pixels = image.width * image.height;
    std::vector<std::byte> buffer;
    PACO_ASSIGN(const auto grey, bytes_.at(images_.offset + i * pixels, pixels, buffer));
    for (std::size_t p = 0; p < grey.size(); ++p) {
      std::fill_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(3 * p), 3,
                  std::to_integer<std::uint8_t>(grey[p]));
    }
    return image;
  }

 private:
  io::FileBytes bytes_;
  IdxArray images_;
  std::vector<std::byte> labels_;  // empty: none
  std::vector<std::string> classes_;
};

// Records of one or two label bytes and three planes of 32 x 32 pixels, in one or more files.
class CifarImages final : public ImageSource {
 public:
  static constexpr std::size_t kSide = 32, kPlane = kSide * kSide;

  CifarImages(std::vector<io::FileBytes> files, std::size_t label_bytes,
              std::vector<std::string> classes)
      : files_(std::move(files)), label_bytes_(label_bytes), classes_(std::move(classes)) {}
  std::size_t record_size() const { return label_bytes_ + 3 * kPlane; }

  // Reads the labels of all records; CIFAR-100 has the coarse label first, the fine one is the
  // class. The sizes of the files have been checked.
  Result<void> index(const std::vector<std::string>& paths) {
    std::vector<std::byte> buffer;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      for (std::uint64_t at = 0; at < files_[f].size(); at += record_size()) {
        PACO_ASSIGN(const auto label, files_[f].at(at + label_bytes_ - 1, 1, buffer));
        records_.push_back({f, at, std::to_integer<std::int64_t>(label[0])});
        if (static_cast<std::size_t>(records_.back().label) < classes_.size()) continue;
        return damaged(
            paths[f], fmt::format("image {} has label {}; there are {} classes", at / record_size(),
                                  records_.back().label, classes_.size()));
      }
    }
    return {};
  }

  std::size_t size() const override { return records_.size(); }
  std::int64_t label(std::size_t i) const override { return records_[i].label; }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return classes_; }
  Result<Image> load(std::size_t i) const override {
    Image image{kSide, kSide, 3, std::vector<std::uint8_t>(3 * kPlane)};
    const Record& record = records_[i];
    std::vector<std::byte> buffer;
    PACO_ASSIGN(const auto planes,
                files_[record.file].at(record.offset + label_bytes_, 3 * kPlane, buffer));
    for (std::size_t p = 0; p < kPlane; ++p) {
      for (std::size_t c = 0; c < 3; ++c)
        image.pixels[3 * p + c] = std::to_integer<std::uint8_t>(planes[c * kPlane + p]);
    }
    return image;
  }

 private:
  struct Record {
    std::size_t file;
    std::uint64_t offset;
    std::int64_t label;
  };

  std::vector<io::FileBytes> files_;
  std::size_t label_bytes_;
  std::vector<std::string> classes_;
  std::vector<Record> records_;
};

}  // namespace

ImageResult open_idx(io::FileBytes images, const std::string& images_path, io::FileBytes labels,
                     const std::string& labels_path, std::vector<std::string> classes) {
  PACO_ASSIGN(auto pixels, parse_idx(images, 3, images_path));
  if (pixels.size == 0) return damaged(images_path, "there are no images in it");
  std::vector<std::byte> numbers;
  if (!labels_path.empty()) {
    PACO_ASSIGN(const IdxArray array, parse_idx(labels, 1, labels_path));
    if (array.size != pixels.shape[0]) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{} has {} images, {} has {} labels", images_path, pixels.shape[0],
                               labels_path, array.size),
                   "give the two files of the same part (train or test)"};
    }
    std::vector<std::byte> buffer;
    PACO_ASSIGN(const auto read, labels.at(array.offset, array.size, buffer));
    numbers.assign(read.begin(), read.end());
    const auto largest =
        std::to_integer<std::size_t>(*std::max_element(numbers.begin(), numbers.end()));
    if (classes.empty()) classes = numbers_as_names(largest + 1);
    if (largest >= classes.size())
      return damaged(labels_path, fmt::format("label {} has no class", largest));
  }
  return ImageResult(std::make_unique<IdxImages>(std::move(images), std::move(pixels),
                                                 std::move(numbers), std::move(classes)));
}

ImageResult make_cifar(std::vector<io::FileBytes> files, const std::vector<std::string>& paths,
                       bool hundred, std::vector<std::string> classes) {
  if (classes.empty()) classes = numbers_as_names(hundred ? 100 : 10);
  const std::string kind = hundred ? "CIFAR-100" : "CIFAR-10";
  const std::size_t label_bytes = hundred ? 2 : 1, record = label_bytes + 3 * CifarImages::kPlane;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (files[f].size() > 0 && files[f].size() % record == 0) continue;
    return damaged(paths[f], fmt::format("not a {} file: {} bytes are no multiple of {}", kind,
                                         files[f].size(), record));
  }
  auto images = std::make_unique<CifarImages>(std::move(files), label_bytes, std::move(classes));
  PACO_TRY(images->index(paths));
  return ImageResult(std::move(images));
}

namespace {

// One form in which CIFAR is published.
struct CifarForm {
  std::string folder;  // that its archive unpacks to
  std::vector<std::string> files;
  std::string names;  // of the classes
};

std::vector<CifarForm> cifar_forms(bool hundred) {
  if (hundred)
    return {{"cifar-100-binary", {"train.bin"}, "fine_label_names.txt"},
            {"cifar-100-python", {"train"}, "meta"}};
  CifarForm binary{"cifar-10-batches-bin", {}, "batches.meta.txt"};
  CifarForm python{"cifar-10-batches-py", {}, "batches.meta"};
  for (int batch = 1; batch <= 5; ++batch) {
    binary.files.push_back(fmt::format("data_batch_{}.bin", batch));
    python.files.push_back(fmt::format("data_batch_{}", batch));
  }
  return {binary, python};
}

// A pickle begins with byte 0x80, which is no class of the binary version.
Result<bool> is_pickle(const io::FileBytes& bytes) {
  std::vector<std::byte> buffer;
  if (bytes.size() == 0) return false;
  PACO_ASSIGN(const auto head, bytes.at(0, 1, buffer));
  return head[0] == std::byte{0x80};
}

Result<io::FileBytes> open_cifar_records(const std::string& path, bool hundred) {
  PACO_ASSIGN(io::FileBytes bytes, io::FileBytes::open(path));
  PACO_ASSIGN(const bool pickled, is_pickle(bytes));
  if (!pickled) return bytes;
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto all, bytes.at(0, bytes.size(), buffer));
  PACO_ASSIGN(std::vector<std::byte> records, cifar_records(all, hundred, path));
  return io::FileBytes::of(std::move(records));
}

Result<std::vector<std::string>> read_cifar_names(const std::string& path, bool hundred) {
  std::vector<std::string> names;
  if (path.ends_with(".txt")) {
    PACO_ASSIGN(names, io::read_class_names(path));
  } else {
    PACO_ASSIGN(const auto bytes, core::read_file(path));
    PACO_ASSIGN(names, cifar_names(bytes, hundred, path));
  }
  if (names.size() != (hundred ? 100 : 10))
    return damaged(path, fmt::format("it names {} classes", names.size()));
  return names;
}

}  // namespace

ImageResult open_cifar(const std::string& path, bool hundred) {
  const std::vector<CifarForm> forms = cifar_forms(hundred);
  std::string folder = path;
  std::vector<std::string> files;
  if (core::path_kind(path) == core::PathKind::folder) {
    CifarForm form = forms.front();  // the one whose absence is reported
    for (const CifarForm& one : forms) {
      for (const std::string& place : {path + "/" + one.folder, path}) {
        if (!files.empty() || core::path_kind(place + "/" + one.files[0]) != core::PathKind::file)
          continue;
        folder = place;
        form = one;
        for (const std::string& name : one.files) files.push_back(place + "/" + name);
      }
    }
    if (files.empty()) files = {path + "/" + form.files[0]};
  } else {
    files = {path};
    const std::size_t slash = path.rfind('/');
    folder = slash == path.npos ? "." : path.substr(0, slash);
  }
  std::vector<std::string> classes;
  for (const CifarForm& form : forms) {
    const std::string names = folder + "/" + form.names;
    if (!classes.empty() || core::path_kind(names) != core::PathKind::file) continue;
    PACO_ASSIGN(classes, read_cifar_names(names, hundred));
  }
  std::vector<io::FileBytes> records;
  for (const std::string& file : files) {
    PACO_ASSIGN(auto bytes, open_cifar_records(file, hundred));
    records.push_back(std::move(bytes));
  }
  return make_cifar(std::move(records), files, hundred, std::move(classes));
}

ImageResult open_fashion_mnist(bool test) {
  const std::string stem = fmt::format("{}/{}", kFashionFolder, test ? "t10k" : "train");
  const std::string images = stem + "-images-idx3-ubyte.gz",
                    labels = stem + "-labels-idx1-ubyte.gz";
  if (core::path_kind(images) != core::PathKind::file ||
      core::path_kind(labels) != core::PathKind::file) {
    return Error{ErrorCode::not_found,
                 fmt::format("Fashion-MNIST is not installed: {} is missing", images),
                 "apt-get install dataset-fashion-mnist, or name the files with idx:IMAGES,LABELS"};
  }
  PACO_ASSIGN(auto image_bytes, io::FileBytes::open(images));
  PACO_ASSIGN(auto label_bytes, io::FileBytes::open(labels));
  return open_idx(std::move(image_bytes), images, std::move(label_bytes), labels,
                  {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                   "Sneaker", "Bag", "Ankle boot"});
}

}  // namespace paco::embed
