// Every way of damaging a small file: each byte changed, each length cut.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace paco::testing {

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Plain writing, without the syncing of the library: these tests write thousands of files. The old
// one is removed first, because some file systems sync a file that is written over.
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

// Calls read(path, what) for every damaged version of `good`, written to `path`.
template <class Read>
void for_every_damage(const std::string& good, const std::string& path, Read read) {
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    write_bytes(path, bytes);
    read(path, "byte " + std::to_string(i) + " changed");
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    write_bytes(path, good.substr(0, length));
    read(path, "cut to " + std::to_string(length) + " bytes");
  }
}

}  // namespace paco::testing
