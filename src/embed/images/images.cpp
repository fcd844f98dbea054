#include "embed/images/images.hpp"

#include <fmt/format.h>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/published_sets.hpp"
#include "io/format.hpp"

namespace paco::embed {
namespace {

constexpr const char* kKinds =
    "write folder:PATH, tar:PATH, idx:IMAGES,LABELS, fashion-mnist, or a published set: "
    "cub:PATH, cars:PATH, pets:PATH, food101:PATH, cifar10:PATH, cifar100:PATH, imagenet100:PATH";

ImageResult open_tar(const std::string& path) {
  PACO_ASSIGN(auto bytes, io::FileBytes::open(path));
  return open_image_tar(std::move(bytes), path);
}

// IMAGES[,LABELS]: where the labels are left out, no image has one.
ImageResult open_idx_pair(const std::string& paths) {
  const std::size_t comma = paths.find(',');
  const std::string images = paths.substr(0, comma);
  const std::string labels = comma == paths.npos ? "" : paths.substr(comma + 1);
  PACO_ASSIGN(auto image_bytes, io::FileBytes::open(images));
  io::FileBytes label_bytes;
  if (!labels.empty()) {
    PACO_ASSIGN(label_bytes, io::FileBytes::open(labels));
  }
  return open_idx(std::move(image_bytes), images, std::move(label_bytes), labels, {});
}

ImageResult open_bare_path(const std::string& path) {
  if (core::path_kind(path) == core::PathKind::folder) return open_image_folder(path);
  if (core::path_kind(path) != core::PathKind::file) {
    return Error{ErrorCode::not_found,
                 fmt::format("'{}' is neither a data set's kind nor a folder or file", path),
                 kKinds};
  }
  PACO_ASSIGN(auto bytes, io::FileBytes::open(path));
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head,
              bytes.at(0, std::min<std::uint64_t>(bytes.size(), io::kDetectBytes), buffer));
  const io::Format& format = io::detect_format(head);
  if (format.name == "tar") return open_image_tar(std::move(bytes), path);
  return Error{ErrorCode::unsupported,
               fmt::format("{}: a file of kind {} is not a data set by itself", path, format.name),
               kKinds};
}

}  // namespace

ImageResult open_images(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  const std::string kind = spec.substr(0, colon);
  const std::string rest = colon == spec.npos ? "" : spec.substr(colon + 1);
  if (kind == "fashion-mnist") {
    if (rest.empty() || rest == "train" || rest == "test")
      return open_fashion_mnist(rest == "test");
    return Error{ErrorCode::bad_argument,
                 fmt::format("'{}': Fashion-MNIST has no part '{}'", spec, rest),
                 "write fashion-mnist, or fashion-mnist:test"};
  }
  const bool known = kind == "folder" || kind == "tar" || kind == "idx" || kind == "cifar10" ||
                     kind == "cifar100" || is_published_list(kind);
  if (known && rest.empty()) {
    return Error{ErrorCode::bad_argument, fmt::format("'{}': the path is missing", spec), kKinds};
  }
  if (!known) return open_bare_path(spec);
  if (kind == "folder") return open_image_folder(rest);
  if (kind == "tar") return open_tar(rest);
  if (kind == "idx") return open_idx_pair(rest);
  if (is_published_list(kind)) return open_published_list(kind, rest);
  return open_cifar(rest, kind == "cifar100");
}

Result<io::Labels> image_labels(const ImageSource& source) {
  io::Labels labels{{}, source.class_names()};
  for (std::size_t i = 0; i < source.size(); ++i) {
    labels.ids.push_back(source.label(i));
    if (labels.ids.back() < 0) {
      return Error{ErrorCode::bad_value,
                   fmt::format("image {} ({}) has no label", i, source.name(i)),
                   "put the images into one folder per class"};
    }
  }
  return labels;
}

}  // namespace paco::embed
