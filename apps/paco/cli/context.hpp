// The inputs shared by all verbs, and their results besides the outcome.
#pragma once

#include <memory>
#include <stop_token>

#include "core/progress.hpp"

namespace paco {

class TorchParts;

struct Context {
  std::stop_token stop;                      // set by Ctrl-C, SIGTERM and SIGHUP
  bool json = false;                         // prints one JSON object to stdout and nothing else
  bool json_lines = false;                   // with `json`: one object per line, also for errors
  std::unique_ptr<core::Progress> progress;  // on stderr: a bar on a terminal, rows elsewhere
  core::Clock clock;                         // for the seconds that a verb reports
  const TorchParts* torch = nullptr;         // null in paco, there in paco-torch

  // Set by the verb and by output.hpp.
  int exit_code = 0;            // if the verb succeeded: 1 for the answer "no"
  bool ended_as_asked = false;  // stopping was the success: a server ended by SIGTERM
  bool printed = false;         // something is on stdout
  bool reader_gone = false;     // the reader of stdout has closed it
};

}  // namespace paco
