// The program around the verbs: finds the verb that the first word names, parses its options, runs
// it and says how it ended. It knows the verbs by verbs/verb_table.hpp and nothing of what they do.
#pragma once

namespace paco {

class TorchParts;

// `torch` is null in a program without it, which becomes paco-torch if a verb needs it.
int run_program(int argc, char** argv, const TorchParts* torch);

}  // namespace paco
