// The data sets of the literature in the form in which their authors publish them: their files, and
// the training images in the published order with the published class ids.
//
// The support set is drawn from images by their place in that order, so another order (by name,
// say) draws other images. Test images are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embed/images/image_sources.hpp"
#include "io/splits.hpp"

namespace paco::embed {

// cub, cars, pets, food101, imagenet100; CIFAR has its own readers (open_cifar).
bool is_published_list(std::string_view name);
ImageResult open_published_list(std::string_view name, const std::string& path);

// One part of a set on the disk. If it exists in several forms, one of them is enough.
struct PublishedPart {
  std::vector<std::string> forms;  // paths inside the set: "annotations/trainval.txt"
  std::string found;               // the path of the form that is there; empty: none is
  bool needed = true;              // otherwise it only names the classes
};
// `name`: one of the above, cifar10 or cifar100.
std::vector<PublishedPart> published_parts(std::string_view name, const std::string& path);

// The files of a set that were found, and the split that they give, even with unexpected counts.
struct SetCheck {
  std::vector<PublishedPart> parts;
  std::size_t images = 0, classes = 0;  // of the training split; 0 while a needed part is missing
  std::size_t missing_images = 0;       // that lists name and the disk does not have
  std::string first_missing;
  io::Split split;
};
Result<SetCheck> check_published_set(std::string_view name, const std::string& path);

}  // namespace paco::embed
