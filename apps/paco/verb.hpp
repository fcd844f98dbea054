// What every verb of the command line has in common: how it is registered, how it prints and how it ends.
//
// A verb lives in verb_NAME.cpp and offers one function, add_NAME, listed below. It declares its options beside
// its code and stores what it returns in context.outcome; main() turns that into output and exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "paco/result.hpp"

namespace paco {

// Keys keep the order in which they were written: people read this.
using Json = nlohmann::ordered_json;

struct Context {
  std::stop_token stop;   // set by Ctrl-C and SIGTERM
  bool json = false;      // one JSON object on stdout and nothing else there
  Result<void> outcome;   // of the verb that ran
};

// Gives the verb its --json flag and runs `body` (returning Result<void>) when it is chosen.
void finish_verb(CLI::App& verb, Context& context, std::function<Result<void>()> body);

// The effective settings, first thing on stderr: one "  name  value" line for every option of the verb.
void print_settings(const CLI::App& verb);

// The verb's result on stdout: the object itself with --json, otherwise the text.
Result<void> print_result(const Context& context, const Json& json, const std::string& text);

}  // namespace paco
