// A command line with its expected output, in one small file. CONTRIBUTING.md explains the format:
//
//   What this case shows, in words.
//   @ needs verb embed
//   $ paco doctor --json
//   > exit 0
//   > keys                 instead of stdout: the keys of the one JSON object there
//   version
//   blas.sgemm_gflops
//   > stderr
//   paco {any} doctor
//
// In expected text {number} stands for a number, {any} for anything within a line, and {lines} on a
// line of its own for any number of lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace paco::testing {

struct CaseFile {
  std::string path;
  std::vector<std::string> head;  // all lines before the first "> ", as they stand
  std::string script;
  std::vector<std::string> needed_verbs;
  std::vector<std::string> needed_paths;  // below the shared folder
  std::string interrupt_at;
  int exit_code = 0;
  std::optional<std::vector<std::string>> out, keys,
      err;  // a section that is not there is not compared
};

CaseFile read_case(const std::string& path);
void write_case(const CaseFile& file);

std::vector<std::string> lines_of(const std::string& text);

// "" when the lines fit the pattern, otherwise the first difference in words.
std::string difference(const std::vector<std::string>& pattern,
                       const std::vector<std::string>& lines);

// The lines as a new pattern: where a line fits one of the old pattern's, that one is kept.
std::vector<std::string> recorded(const std::vector<std::string>& old_pattern,
                                  const std::vector<std::string>& lines);

// Every key of a JSON object in the order of the text ("a", "a.b", "list[].c"), or what is wrong
// with it.
std::vector<std::string> json_keys(const std::string& text);

}  // namespace paco::testing
