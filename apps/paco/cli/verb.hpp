// What every verb of the command line has in common.
//
// A verb lives in verbs/NAME.cpp, or a part of one in verbs/NAME/PART.cpp, and has one line in
// verbs/verb_table.cpp. It offers one function:
//
//   void add_NAME(Options& verb, Context& context) {
//     verb.about("One line for the list of verbs\nand more.");
//     auto r = std::make_shared<NameArguments>();
//     verb.add_text("--out", r->out, "the file to write").required();
//     add_seed(verb, "--seed", r->seed, "of the replay");
//     finish_verb(verb, context, [&context, r] { return run(context, *r); });
//   }
//
// A body that writes files begins with check_outputs (output_files.hpp). It returns a Result<void>;
// the program turns it into the exit code: 0 ok, 1 failed, 2 misuse (ErrorCode::bad_argument), 130
// interrupted (the stop token was set, whatever the body returned).
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/context.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/output_files.hpp"

namespace paco {

// Gives the verb its --json flag and its body.
inline void finish_verb(Options& verb, Context& context, std::function<Result<void>()> body) {
  verb.add_flag("--json", context.json, "one JSON object on stdout and nothing else there");
  verb.set_body(std::move(body));
}

}  // namespace paco
