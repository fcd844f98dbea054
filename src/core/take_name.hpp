// Gives a file that another library wrote under a temporary name its final name, complete and on
// the disk. Files that paco itself writes use AtomicFile (files.hpp).
#pragma once

#include <string>

#include "paco/result.hpp"

namespace paco::core {

// Syncs the file, renames it and syncs the folder. Does not replace an existing file: then it
// returns ErrorCode::io, and the temporary file stays.
Result<void> take_name(const std::string& temporary, const std::string& path);

}  // namespace paco::core
