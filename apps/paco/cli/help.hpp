// The look of the help texts: every option with its default (or "required"), descriptions beside
// the names, lines of at most 100 columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace paco {

// Of a verb or a part of one.
std::string help_text(const Options& verb);

// Of the program, with the first line of what each verb says about itself.
std::string program_help(const std::vector<std::unique_ptr<Options>>& verbs);

}  // namespace paco
