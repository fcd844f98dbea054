// What a verb is given, and what it leaves behind besides its outcome.
#pragma once

#include <memory>
#include <stop_token>

#include "core/progress.hpp"

namespace paco {

class TorchParts;

struct Context {
  std::stop_token stop;                      // set by Ctrl-C, SIGTERM and SIGHUP
  bool json = false;                         // one JSON object on stdout and nothing else there
  bool json_lines = false;                   // with `json`: one on each line, errors too
  std::unique_ptr<core::Progress> progress;  // on stderr: a bar on a terminal, rows elsewhere
  core::Clock clock;                         // for the seconds that a verb reports
  const TorchParts* torch = nullptr;         // null in paco, there in paco-torch

  // Set by the verb and by output.hpp.
  int exit_code = 0;            // if the verb succeeded: its answer, 1 for "no"
  bool ended_as_asked = false;  // it was told to stop, and that is success: a server by SIGTERM
  bool printed = false;         // something is on stdout
  bool reader_gone = false;     // the reader of stdout has closed it
};

}  // namespace paco
