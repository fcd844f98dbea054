// The words that labels and class names are, and what they may be. Not for use outside this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

// A word that is a class number as it is usually written: "1", neither "01" nor "+1".
std::optional<std::int64_t> canonical_number(std::string_view word);
// Whether labels may be class numbers, with these names of classes: not if one of the names is a
// number written in another way.
bool are_numbered(std::span<const std::string> class_names);

// Refuses a word that is not UTF-8: models, pages and JSON would change it. `what`: "label", "key".
Result<void> check_words(std::span<const std::string> words, std::string_view what,
                         const std::string& name);

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 32;  // of a file of labels

}  // namespace paco::io
