// A small file that is overwritten in place, again and again, for a record that must be cheap to
// keep up to date. What replaces a file as a whole is AtomicFile (files.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "paco/result.hpp"

namespace paco::core {

class OverwrittenFile {
 public:
  // Makes the file if it is not there; what is in it stays.
  static Result<OverwrittenFile> open(const std::string& path);
  OverwrittenFile() = default;
  OverwrittenFile(OverwrittenFile&& other) noexcept;
  OverwrittenFile& operator=(OverwrittenFile&& other) noexcept;
  ~OverwrittenFile();

  bool is_open() const { return descriptor_ >= 0; }
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<void> sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace paco::core
