// Ctrl-C and SIGTERM as a stop token. The first one asks the program to stop, which leaves valid
// output; a second one ends it at once. Once per process.
#pragma once

#include <stop_token>

namespace paco {

std::stop_token stop_on_signals();

}  // namespace paco
