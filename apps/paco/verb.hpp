// What every verb of the command line has in common: how it is registered, how it prints and how it
// ends.
//
// A verb lives in verb_NAME.cpp and has one line, paco_verb(NAME ...), in CMakeLists.txt. It offers
// one function:
//
//   void add_NAME(CLI::App& app, Context& context) {
//     CLI::App& verb = *app.add_subcommand("NAME", "One line for the list of verbs\nand more.");
//     auto settings = std::make_shared<NameArguments>();
//     verb.add_option("--out", settings->out, "the file to write");  // shows its default by itself
//     add_seed(verb, "--seed", settings->seed, "of the replay");     // options.hpp: with its range
//     finish_verb(verb, context, [&context, settings] { return run(context, *settings); });
//   }
//
// A body that writes files begins with check_outputs (outputs.hpp). It returns a Result<void>;
// main() turns it into the exit code: 0 ok, 1 failed, 2 misuse (ErrorCode::bad_argument), 130
// interrupted (the stop token was set, whatever the body returned).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/progress.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "paco/result.hpp"

namespace paco {

// Keys keep the order in which they were written: people read this.
using Json = nlohmann::ordered_json;

struct Context {
  std::stop_token stop;                      // set by Ctrl-C, SIGTERM and SIGHUP
  bool json = false;                         // one JSON object on stdout and nothing else there
  std::unique_ptr<core::Progress> progress;  // on stderr: a bar on a terminal, rows elsewhere
  core::Clock clock;                         // for the seconds that a verb reports

  // Set by the functions below.
  const CLI::App* verb = nullptr;  // the one that was chosen
  Result<void> outcome;            // of it
  int exit_code = 0;               // where the verb went well: its answer, 1 for "no"
  bool printed = false;            // something is on stdout
  bool reader_gone = false;        // whoever read stdout has closed it
};

// Gives the verb its --json flag; when it is chosen, prints its settings and runs `body`.
void finish_verb(CLI::App& verb, Context& context, std::function<Result<void>()> body);

// The effective settings, first thing on stderr: one "  name  value" line for every option of the
// verb.
void print_settings(const CLI::App& verb);

// The verb's result on stdout: the object itself with --json, otherwise the text.
Result<void> print_result(Context& context, const Json& json, const std::string& text);

// Bytes to stdout at once, for verbs whose result is a stream. A reader that has closed its end
// (`paco ... | head`) is an error like any other for the verb, and no message for the user.
Result<void> write_stdout(Context& context, std::string_view bytes);

// A remark for the user on stderr, e.g. a skipped file. Never about progress.
void print_note(std::string_view text);

// How the run ended: prints the error, if there is one, and gives the exit code.
int conclude(Context& context);

}  // namespace paco
