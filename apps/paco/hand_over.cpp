#include "hand_over.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.hpp"
#include "embed/weights/state_dict.hpp"
#include "verb_table.hpp"

namespace paco {
namespace {

constexpr std::string_view kTorch = "paco-torch", kDemo = "paco-demo";

// Torch's threads wait for each other by turning in circles for milliseconds. Where another process
// has one of the cores, most of the time goes there: the one that is waited for does not get it. So
// they turn for some twenty microseconds and then sleep, and the matrix products inside a
// thread are not divided once more. Both libraries read this when they are loaded; whoever has set
// something of it has what they set.
void let_waiting_threads_sleep() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "2000", 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

// The values of an option, "--name value" or "--name=value".
std::vector<std::string> values_of(char** arguments, const std::string& name) {
  std::vector<std::string> values;
  for (char** at = arguments; *at != nullptr; ++at) {
    const std::string_view word = *at;
    if (word == name && at[1] != nullptr) values.emplace_back(at[1]);
    if (word.starts_with(name + "=")) values.emplace_back(word.substr(name.size() + 1));
  }
  return values;
}

// The last one counts; "" where there is none.
std::string value_of(char** arguments, const std::string& name) {
  const std::vector<std::string> values = values_of(arguments, name);
  return values.empty() ? "" : values.back();
}

// Whatever is no folder of embeddings is the name of a set, which may be one of images.
bool study_needs_torch(char** arguments) {
  for (const std::string& data : values_of(arguments, "--data")) {
    if (core::path_kind(data) != core::PathKind::folder) return true;
  }
  return false;
}

bool embed_needs_torch(char** arguments) {
  if (value_of(arguments, "--device").starts_with("cuda")) return true;
  const std::string weights = value_of(arguments, "--weights");
  if (weights.empty()) return false;
  const auto script = embed::is_torchscript_file(weights);
  return script.ok() && *script;
}

// "" where there is no telling.
std::string beside_this(std::string_view program) {
  std::array<char, PATH_MAX> self;
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  if (length <= 0) return "";
  std::string path(self.data(), static_cast<std::size_t>(length));
  path.resize(path.rfind('/') + 1);
  return path.append(program);
}

}  // namespace

void hand_over(char** argv, const char* verb) {
  const std::string_view word = verb == nullptr ? "" : verb;
  std::string_view program;
  for (const VerbEntry& entry : verb_table()) {
    if (entry.program != nullptr && word == entry.name) program = entry.program;
  }
  const bool needs_torch =
      (word == "embed" && embed_needs_torch(argv)) || (word == "study" && study_needs_torch(argv));
  if (needs_torch && hands_over_to_torch()) program = kTorch;
  if (program.empty()) return;

  if (program == kTorch || program == kDemo) let_waiting_threads_sleep();
  ::execv(beside_this(program).c_str(), argv);
}

Error become(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(program.c_str()));  // execv() changes nothing
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(beside_this(program).c_str(), argv.data());
  return Error{ErrorCode::unsupported, fmt::format("{} is not beside paco", program),
               "keep the programs in one folder, as the build and the installation put them"};
}

}  // namespace paco
