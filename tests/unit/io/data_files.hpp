// Small files for the tests of src/io: the seeds of the fuzz targets, and files made on the spot.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files.hpp"

namespace paco::testing {

inline std::string corpus(const std::string& name) {
  return std::string(PACO_SOURCE_DIR) + "/fuzz/corpus/" + name;
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

inline std::vector<std::byte> file_bytes(const std::string& path) {
  auto bytes = core::read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? *bytes : std::vector<std::byte>();
}

// Files of one folder of the corpus, in order.
inline std::vector<std::string> corpus_files(const std::string& folder) {
  auto names = core::list_folder(corpus(folder));
  EXPECT_TRUE(names.ok() && !names->empty()) << folder;
  std::vector<std::string> paths;
  for (const std::string& name : *names) paths.push_back(corpus(folder) + "/" + name);
  return paths;
}

// An npy file with any dictionary text, however wrong.
inline std::string npy_with(const std::string& dictionary, const std::string& data) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

}  // namespace paco::testing
