// Options of methods on the command line: --set NAME=VALUE.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "paco/method.hpp"

namespace paco {

// --set NAME=VALUE, any number of times, into `given`.
void add_set_option(Options& verb, std::vector<std::string>& given, const char* stage);

// "temperature=0.07" and the like.
Result<Settings> parse_settings(const std::vector<std::string>& given);

}  // namespace paco
