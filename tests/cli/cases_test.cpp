// Every file of tests/cli/cases is a test. With PACO_RECORD=1 a case that differs is written anew
// instead of failing: tools/record_cli does that, and `git diff` shows what became of the words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/case_file.hpp"
#include "cli/run_program.hpp"
#include "temporary_folder.hpp"

namespace paco::testing {
namespace {

const std::string kCases = PACO_SOURCE_DIR "/tests/cli/cases";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (entry.path().extension() == ".case") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::set<std::string> built_verbs() {
  const TemporaryFolder folder;
  std::set<std::string> verbs;
  bool listing = false;
  for (const std::string& line : lines_of(run_script("paco --help", folder.path()).out)) {
    if (line == "Verbs:") {
      listing = true;
    } else if (listing && line.size() > 2 && line.compare(0, 2, "  ") == 0 && line[2] != ' ') {
      verbs.insert(line.substr(2, line.find(' ', 2) - 2));
    } else if (line.empty()) {
      listing = false;
    }
  }
  return verbs;
}

std::string shared_folder() {
  const char* given = std::getenv("PACO_SHARED");
  return given != nullptr ? given : PACO_SOURCE_DIR "/../shared";
}

// Where the repository lies is no part of the expected output.
std::string without_places(std::string text) {
  for (const auto& [place, name] : {std::pair<std::string, std::string>{shared_folder(), "$SHARED"},
                                    {PACO_SOURCE_DIR, "$SOURCE"}}) {
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), name);
    }
  }
  return text;
}

class Cases : public ::testing::TestWithParam<std::string> {};

TEST_P(Cases, GivesTheRecordedOutput) {
  CaseFile file = read_case(kCases + "/" + GetParam() + ".case");
  for (const std::string& verb : file.needed_verbs) {
    if (!built_verbs().contains(verb)) GTEST_SKIP() << "this build has no verb " << verb;
  }
  for (const std::string& path : file.needed_paths) {
    const std::string needed = shared_folder() + "/" + path;
    if (!std::filesystem::exists(needed)) GTEST_SKIP() << needed << " is not there";
  }
  ::setenv("SHARED", shared_folder().c_str(), 1);
  const TemporaryFolder folder;
  Ran ran = run_script(file.script, folder.path(), file.interrupt_at);
  ran.out = without_places(ran.out);
  ran.err = without_places(ran.err);
  const auto out = lines_of(ran.out);
  const auto err = lines_of(ran.err);

  if (std::getenv("PACO_RECORD") != nullptr) {
    const bool new_case = !file.out && !file.keys && !file.err;
    file.exit_code = ran.exit_code;
    if (file.out || new_case) file.out = recorded(file.out.value_or(out), out);
    if (file.keys) file.keys = recorded(*file.keys, json_keys(ran.out));
    if (file.err || new_case) file.err = recorded(file.err.value_or(err), err);
    write_case(file);
    return;
  }
  EXPECT_EQ(ran.exit_code, file.exit_code) << "stderr:\n" << ran.err;
  if (file.out) {
    EXPECT_EQ(difference(*file.out, out), "") << "on stdout of:\n" << file.script;
  }
  if (file.keys) {
    EXPECT_EQ(difference(*file.keys, json_keys(ran.out)), "") << "in the keys of:\n" << file.script;
  }
  if (file.err) {
    EXPECT_EQ(difference(*file.err, err), "") << "on stderr of:\n" << file.script;
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Cases, ::testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

TEST(CliCases, EveryVerbHasItsHelpRecorded) {
  std::string scripts;
  for (const std::string& name : case_names())
    scripts += read_case(kCases + "/" + name + ".case").script;
  for (const std::string& verb : built_verbs()) {
    EXPECT_NE(scripts.find("paco " + verb + " --help\n"), std::string::npos)
        << "add tests/cli/cases/" << verb << "_help.case";
  }
}

TEST(CliCases, ADifferenceIsSeenAndPatternsAreKept) {
  const std::vector<std::string> pattern = {"a", "took {number} s", "{lines}", "end {any}"};
  EXPECT_EQ(difference(pattern, {"a", "took 1.5e-3 s", "x", "y", "end of it"}), "");
  EXPECT_NE(difference(pattern, {"a", "took long s", "end "}), "");
  EXPECT_NE(difference(pattern, {"a", "took 1 s"}), "");
  EXPECT_NE(difference({"a"}, {"a", "b"}), "");
  EXPECT_EQ(recorded({"b", "took {number} s"}, {"a", "took 9 s"}),
            (std::vector<std::string>{"a", "took {number} s"}));
  EXPECT_EQ(json_keys(R"({"b": {"c": 1}, "a": [{"d": 1}, {"d": 2}]})"),
            (std::vector<std::string>{"b", "b.c", "a", "a[].d"}));
}

}  // namespace
}  // namespace paco::testing
