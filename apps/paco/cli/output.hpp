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

// Prints the effective settings before anything else on stderr: one "  name  value" line per
// option.
void print_settings(const Options& verb);

// Prints the verb's result to stdout: the object with --json, otherwise the text.
Result<void> print_result(Context& context, const Json& json, const std::string& text);

// Writes bytes to stdout immediately, for verbs whose result is a stream. If the reader has closed
// its end (`paco ... | head`), the verb gets an error, but the user gets no message.
Result<void> write_stdout(Context& context, std::string_view bytes);

// Prints a note for the user to stderr, e.g. about a skipped file. Not for progress.
void print_note(std::string_view text);

// Prints the error of the run, if there is one, and returns the exit code.
int conclude(Context& context, const Result<void>& outcome);

}  // namespace paco
