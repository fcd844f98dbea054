// Numbers as base64 text of their little-endian bytes: how arrays travel inside the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace paco::report {

// RFC 4648 with padding.
std::string base64(std::span<const std::byte> bytes);

template <class T>
std::string base64_of(std::span<const T> values) {
  return base64(std::as_bytes(values));
}

}  // namespace paco::report
