// The part of `paco inspect` for input files: arrays, tables, data sets of images.
#pragma once

#include <string>

#include "shared/inspect_artifact.hpp"

namespace paco {

// A file of any kind that src/io reads, FILE#NAME for one array of several, or a data set
// ("folder:PATH", a folder, ...).
Result<Inspection> inspect_data(const std::string& path);

}  // namespace paco
