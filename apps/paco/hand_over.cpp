#include "hand_over.hpp"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace paco {

void hand_over(char** argv, const char* verb) {
  const std::string_view word = verb == nullptr ? "" : verb;
  bool handed = false;
#define PACO_VERB(name)
#define PACO_HANDED_VERB(name) handed = handed || word == #name;
#define PACO_ABSENT_VERB(name, needs)
#include "verbs.inc"
#undef PACO_VERB
#undef PACO_HANDED_VERB
#undef PACO_ABSENT_VERB
  if (!handed) return;

  std::array<char, PATH_MAX> self;
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  if (length <= 0) return;
  std::string path(self.data(), static_cast<std::size_t>(length));
  path.resize(path.rfind('/') + 1);
  path += "paco-torch";
  ::execv(path.c_str(), argv);
}

}  // namespace paco
