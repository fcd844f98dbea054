// The words of a command line, put where a verb's options say. The only part of paco that uses
// CLI11.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace paco {

struct Parsed {
  Options* chosen = nullptr;  // the verb itself, or the part of it that is asked for
  bool help = false;          // its help is asked for, so no value is set
};

// `words` are those after the verb's name. Misuse is ErrorCode::bad_argument, in words that name
// the option and what to do.
Result<Parsed> parse(Options& verb, const std::vector<std::string>& words);

}  // namespace paco
