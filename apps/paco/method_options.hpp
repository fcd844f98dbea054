// Options of methods on the command line: --method, --set NAME=VALUE, and PACO's own as options of
// their own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "paco/method.hpp"

namespace paco {

// --set NAME=VALUE, any number of times, into `given`.
void add_set_option(CLI::App& verb, std::vector<std::string>& given, const char* stage);

// "temperature=0.07" and the like.
Result<Settings> parse_settings(const std::vector<std::string>& given);

}  // namespace paco
