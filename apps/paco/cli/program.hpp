// The program around the verbs: finds the verb named by the first word, parses its options, runs it
// and reports the outcome. It gets the verbs from verbs/verb_table.hpp and is independent of what
// they do.
#pragma once

namespace paco {

class TorchParts;

// `torch` is null in a program without it, which executes paco-torch if a verb needs torch.
int run_program(int argc, char** argv, const TorchParts* torch);

}  // namespace paco
