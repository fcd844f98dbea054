// What a verb is about to write, checked before it reads anything: no output may take the place of
// an input or of another output.
#pragma once

#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// A file as the command line names it. An empty path is one that was not given.
struct NamedFile {
  std::string option;  // e.g. "--out"
  std::string path;    // of an input also FILE#NAME, or a data set like tar:FILE
};

// Fails with ErrorCode::bad_argument where two outputs, or an input and an output, are the same
// plain file, by whatever names, and where an output is "-". The names beside a file that are in
// use while it is written (NAME.part, a journal's log) are taken, too. Pipes and devices may be
// named twice.
Result<void> check_outputs(const std::vector<NamedFile>& inputs,
                           const std::vector<NamedFile>& outputs);

// The path of an output that may go to standard output: empty where it does.
std::string unless_stdout(const std::string& path);

}  // namespace paco
