// From `paco`, which loads no torch, to `paco-torch` in the same folder, with the same arguments.
#pragma once

#include <string>

#include "paco/result.hpp"

namespace paco {

// Whether there is such a program.
bool torch_sibling_is_there();
// Returns only if it cannot. `verb` is for the message.
Error exec_torch_sibling(const std::string& verb, char** argv);

}  // namespace paco
