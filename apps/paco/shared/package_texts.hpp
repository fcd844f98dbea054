// The descriptions of Debian's packages from this machine's package lists: short texts, with their
// section as class. Nothing is downloaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco {

struct PackageText {
  std::string section, text;
};

// From the output of `apt-cache dumpavail`: the first line of each description, each text once.
Result<std::vector<PackageText>> read_package_texts();
// The same for a given output.
std::vector<PackageText> parse_package_texts(std::string_view text);

struct PackageSplit {
  std::vector<std::string> classes;  // the known ones first
  std::size_t known = 0;
  std::vector<std::string> support, stream;                 // texts
  std::vector<std::int64_t> support_labels, stream_labels;  // of classes
};

// Makes the 12 largest sections known and the next 12 unknown. Takes `each` examples of each known
// one, and `stream` texts of all 24 in a random order.
Result<PackageSplit> split_packages(const std::vector<PackageText>& texts, std::size_t each,
                                    std::size_t stream, std::uint64_t seed);

}  // namespace paco
