// Ctrl-C, SIGTERM and SIGHUP as a stop token. The first one asks the program to stop, which leaves
// valid output; a second one ends it at once, and leaves no temporary file. Once per process.
#pragma once

#include <stop_token>

namespace paco {

std::stop_token stop_on_signals();

}  // namespace paco
