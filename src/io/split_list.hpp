// Lists of known and novel classes in files, in the form of the Semantic Shift Benchmark or written
// by users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/splits.hpp"
#include "paco/result.hpp"

namespace paco::io {

// Classes are given by number (from 0) or by name; each at most once. See choose_classes() for the
// two kinds of file.
Result<ClassSplit> read_class_split(const std::string& path,
                                    const std::vector<std::string>& class_names);
// The same from text in memory; `path` names it in error texts.
Result<ClassSplit> parse_class_split(std::string_view text,
                                     const std::vector<std::string>& class_names,
                                     const std::string& path);

}  // namespace paco::io
