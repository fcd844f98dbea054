// The SHA-256 of a file: identifies weights exactly, independent of their path.
#pragma once

#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::embed {

// 64 hexadecimal digits.
Result<std::string> file_sha256(const std::string& path);
std::string text_sha256(std::string_view text);

}  // namespace paco::embed
