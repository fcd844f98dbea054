// Parses the words of a command line into a verb's options. The only code that uses CLI11.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace paco {

struct Parsed {
  Options* chosen = nullptr;  // the verb itself, or its selected part
  bool help = false;          // the help was requested, so no value is set
};

// `words` are those after the verb's name. Misuse returns ErrorCode::bad_argument, with a message
// that names the option and a hint that says what to do.
Result<Parsed> parse(Options& verb, const std::vector<std::string>& words);

}  // namespace paco
