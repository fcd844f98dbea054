// The kinds of ImageSource, one maker each. Not for use outside this folder and its tests.
#pragma once

#include <memory>
#include <string>

#include "embed/images/images.hpp"
#include "io/byte_stream.hpp"
#include "io/file_bytes.hpp"

namespace paco::embed {

using ImageResult = Result<std::unique_ptr<ImageSource>>;

ImageResult open_image_folder(const std::string& path);

// Images that a list names, in its order. They are looked for when they are loaded.
struct ListedImage {
  std::string name;  // path inside the folder
  std::int64_t label = 0;
};
ImageResult open_listed_images(const std::string& folder, const std::vector<ListedImage>& images,
                               std::vector<std::string> classes);

ImageResult open_image_tar(io::FileBytes bytes, const std::string& path);
// `labels` may be absent (an empty path): then no image has a label. `classes` names
// them, or is empty.
ImageResult open_idx(io::FileBytes images, const std::string& images_path, io::FileBytes labels,
                     const std::string& labels_path, std::vector<std::string> classes);
ImageResult open_cifar(const std::string& path, bool hundred);
// `paths` name the files in error texts; without class names the numbers stand for them.
ImageResult make_cifar(std::vector<io::FileBytes> files, const std::vector<std::string>& paths,
                       bool hundred, std::vector<std::string> classes);
ImageResult open_fashion_mnist(bool test);

}  // namespace paco::embed
