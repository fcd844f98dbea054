// The annotations of Stanford Cars: MATLAB files of its devkit, or the csv files that people
// convert them to. Class ids are the devkit's, which is not the order of names.
#pragma once

#include <string>
#include <vector>

#include "embed/images/image_sources.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// Paths inside the data set; the first one that exists is used.
std::vector<std::string> cars_annotation_files();
std::vector<std::string> cars_name_files();

struct CarsList {
  std::vector<ListedImage> images;       // training images, in the order of the annotations
  std::vector<std::string> class_names;  // may be empty
};
Result<CarsList> read_cars_list(const std::string& root);

}  // namespace paco::embed
