// The descriptions of Debian's packages, as this machine's own package lists have them: short texts
// with their section as class. Nothing is downloaded.
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

// What `apt-cache dumpavail` prints: the first line of each description, each text once.
Result<std::vector<PackageText>> read_package_texts();
// The same from text.
std::vector<PackageText> parse_package_texts(std::string_view text);

struct PackageSplit {
  std::vector<std::string> classes;  // the known ones first
  std::size_t known = 0;
  std::vector<std::string> support, stream;                 // texts
  std::vector<std::int64_t> support_labels, stream_labels;  // of classes
};

// The 12 largest sections are known and the next 12 are not; `each` examples of a known one, and
// `stream` texts of all in a random order.
Result<PackageSplit> split_packages(const std::vector<PackageText>& texts, std::size_t each,
                                    std::size_t stream, std::uint64_t seed);

}  // namespace paco
