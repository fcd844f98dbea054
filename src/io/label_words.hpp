// Labels and class names as words, and the checks on them. Not for use outside this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

// The number of a word that is a class number in its usual form: "1", but not "01" or "+1".
std::optional<std::int64_t> canonical_number(std::string_view word);
// True if labels may be class numbers with these class names. False if one of the names is a number
// in another form.
bool are_numbered(std::span<const std::string> class_names);

// Returns an error for a word that is not UTF-8: models, pages and JSON would change it. `what`:
// "label", "key".
Result<void> check_words(std::span<const std::string> words, std::string_view what,
                         const std::string& name);

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 32;  // of a file of labels

}  // namespace paco::io
