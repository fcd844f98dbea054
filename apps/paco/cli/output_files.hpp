// Checks the outputs of a verb before it reads anything: no output may overwrite an input or
// another output.
#pragma once

#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// A file named on the command line. An empty path means that it was not given.
struct NamedFile {
  std::string option;  // e.g. "--out"
  std::string path;    // of an input also FILE#NAME, or a data set like tar:FILE
};

// Fails with ErrorCode::bad_argument if two outputs, or an input and an output, are the same
// regular file under any names, or if an output is "-". The names beside a file that are used while
// it is written (NAME.part, a journal's log) are reserved too. Pipes and devices may be named
// twice.
Result<void> check_outputs(const std::vector<NamedFile>& inputs,
                           const std::vector<NamedFile>& outputs);

// The path of an output that may go to standard output: empty if it does.
std::string unless_stdout(const std::string& path);

}  // namespace paco
