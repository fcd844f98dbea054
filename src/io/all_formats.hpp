// The formats of this library, in the order in which they are tried. Not for use outside this
// folder: format.hpp has the table.
#pragma once

#include <deque>

#include "io/format.hpp"

namespace paco::io {

std::deque<Format> all_formats();

}  // namespace paco::io
