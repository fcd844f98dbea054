// Bodies in gzip's form: answers are made smaller, requests are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paco::server {

// At `level` 1 (fast) to 9 (small).
std::string gzip(std::string_view bytes, int level);

enum class Gunzip : std::uint8_t { done, too_large, damaged };
// Of more than `limit` bytes nothing is kept.
Gunzip gunzip(std::string_view bytes, std::uint64_t limit, std::string& out);

}  // namespace paco::server
