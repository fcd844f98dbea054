// The look of the help texts and the words of misuse: what CLI11 knows, said so that a stranger can
// act on it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "paco/result.hpp"

namespace paco {

// Every option with its default (or "required"), descriptions beside the names, lines of at most
// 100 columns.
std::shared_ptr<CLI::FormatterBase> make_help_formatter();

// What was wrong with a command line that CLI11 refused, and what to do. `first` is the first
// argument, "" if none.
Error describe_misuse(const CLI::App& app, const CLI::ParseError& misuse, const std::string& first);

}  // namespace paco
