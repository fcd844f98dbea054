// Replaces `paco`, which loads no torch, by `paco-torch` in the same folder, with the same
// arguments.
#pragma once

#include <string>

#include "paco/result.hpp"

namespace paco {

// Whether `paco-torch` exists.
bool torch_sibling_is_there();
// Returns only on failure. `verb` is for the message.
Error exec_torch_sibling(const std::string& verb, char** argv);

}  // namespace paco
