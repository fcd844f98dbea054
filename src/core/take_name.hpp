// For a file that another library wrote under a temporary name: it takes its real name, whole and
// on the disk. What paco itself writes goes through AtomicFile (files.hpp).
#pragma once

#include <string>

#include "paco/result.hpp"

namespace paco::core {

// Syncs the file, renames it and syncs the folder. Never over a file that is there: ErrorCode::io
// then, and the temporary file stays.
Result<void> take_name(const std::string& temporary, const std::string& path);

}  // namespace paco::core
