// Runs a shell script with the built program as `paco` on its PATH, and keeps what it wrote.
#pragma once

#include <string>

namespace paco::testing {

struct Ran {
  int exit_code = -1;  // 128 + n where signal n ended it
  std::string out;     // stdout
  std::string err;     // stderr
};

// `folder` is the working folder; a folder for the program's name is made in it and hidden
// (".bin"). Where `interrupt_at` is not empty, SIGINT goes to every process of the script, as
// Ctrl-C in a terminal does, as soon as that text stands on stderr: a script that should go on
// afterwards begins with `trap : INT`.
Ran run_script(const std::string& script, const std::string& folder,
               const std::string& interrupt_at = "");

}  // namespace paco::testing
