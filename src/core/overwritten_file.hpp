// A small file that is overwritten in place again and again, for a record that must be cheap to
// update. To replace a file as a whole, use AtomicFile (files.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "paco/result.hpp"

namespace paco::core {

class OverwrittenFile {
 public:
  // Creates the file if it does not exist; existing contents stay.
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
