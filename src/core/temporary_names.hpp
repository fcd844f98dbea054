// The temporary files that exist at this moment, in a form that a signal handler can read. Not for
// use outside src/core: remove_temporary_files() in core/files.hpp is what the handler calls.
//
// Any thread may add and remove names. There is room for kRoom names. A name beyond that, or a name
// that is too long, is not stored; if a signal then ends the process, that file stays on the disk.
#pragma once

#include <cstddef>
#include <string>

namespace paco::core::files {

inline constexpr std::size_t kRoom = 16;

void note_temporary(const std::string& path);
void forget_temporary(const std::string& path);

}  // namespace paco::core::files
