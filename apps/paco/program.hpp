// The program around the verbs: hands over to another program where the verb lives there, otherwise
// builds the verb that is asked for, parses, runs it and says how it ended. It knows the verbs by
// verb_table.hpp and nothing of what they do.
#pragma once

namespace paco {

int run_program(int argc, char** argv);

}  // namespace paco
