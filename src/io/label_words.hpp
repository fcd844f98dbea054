// Labels and class names out of text files, as words: tables, one a line, or JSON. What the words
// mean is up to labels.cpp. Not for use outside this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "paco/result.hpp"

namespace paco::io {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 32;  // of a file of labels

// One word for each label, in order. The stream holds text and stands at its beginning.
Result<std::vector<std::string>> label_words(ByteStream& stream);

}  // namespace paco::io
