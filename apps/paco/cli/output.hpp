// What a verb prints: its settings, its result, remarks, and how it ended.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cli/context.hpp"
#include "cli/options.hpp"
#include "paco/result.hpp"

namespace paco {

// Keys keep the order in which they were written: people read this.
using Json = nlohmann::ordered_json;

// The effective settings, first thing on stderr: one "  name  value" line for every option of the
// verb.
void print_settings(const Options& verb);

// The verb's result on stdout: the object itself with --json, otherwise the text.
Result<void> print_result(Context& context, const Json& json, const std::string& text);

// Bytes to stdout at once, for verbs whose result is a stream. A reader that has closed its end
// (`paco ... | head`) is an error like any other for the verb, and no message for the user.
Result<void> write_stdout(Context& context, std::string_view bytes);

// A remark for the user on stderr, e.g. a skipped file. Never about progress.
void print_note(std::string_view text);

// How the run ended: prints the error, if there is one, and gives the exit code.
int conclude(Context& context, const Result<void>& outcome);

}  // namespace paco
