// From paco, which starts in a moment, to the program beside it that has what is asked for.
#pragma once

#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// Becomes another program with the same arguments where `verb` (the first argument, or null) lives
// there (verb_table.hpp), or asks for what only paco-torch can do: `embed` on a GPU or with a
// TorchScript archive, `study` with a set of images. Returns where it is not so, or where that
// program is not there.
void hand_over(char** argv, const char* verb);

// Becomes the program of that name with these arguments, the verb first. Returns only where it
// cannot.
Error become(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace paco
