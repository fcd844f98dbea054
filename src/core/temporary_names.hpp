// The temporary files that exist at this moment, in a form that a signal handler can read. Not for
// use outside src/core: remove_temporary_files() in core/files.hpp is what the handler calls.
//
// Any thread may note and forget. There is room for kRoom names; one more, or one that is too long,
// is left out, and a process that ends by a signal then leaves that file behind.
#pragma once

#include <cstddef>
#include <string>

namespace paco::core::files {

inline constexpr std::size_t kRoom = 16;

void note_temporary(const std::string& path);
void forget_temporary(const std::string& path);

}  // namespace paco::core::files
