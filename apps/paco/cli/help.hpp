// Formats the help texts: every option with its default (or "required"), descriptions beside the
// names, lines of at most 100 columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace paco {

// The help of a verb or a part of one.
std::string help_text(const Options& verb);

// The help of the program, with the first line of each verb's description.
std::string program_help(const std::vector<std::unique_ptr<Options>>& verbs);

}  // namespace paco
