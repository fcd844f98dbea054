// The list of files in a tar archive: ustar, GNU and pax, with long names.
//
// It reads the list only, not the contents. Links, devices and folders are skipped. If a name leads
// out of the archive's folder (absolute, or with ".."), the whole archive is rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/file_bytes.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct TarEntry {
  std::string name;  // without a leading "./"
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Result<std::vector<TarEntry>> list_tar(const FileBytes& bytes, const std::string& name);

}  // namespace paco::io
