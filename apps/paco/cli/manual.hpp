// Generates the manual from the tables of options that the verbs declare: the reference page of the
// documentation, a man page, and completion for three shells. So the manual always agrees with the
// help.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace paco {

using VerbList = std::vector<std::unique_ptr<Options>>;

std::string manual_markdown(const VerbList& verbs);
std::string manual_man(const VerbList& verbs, const std::string& version);
std::string completion_bash(const VerbList& verbs);
std::string completion_zsh(const VerbList& verbs);
std::string completion_fish(const VerbList& verbs);

}  // namespace paco
