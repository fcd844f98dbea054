// Counts the instructions that a program's own code executes between two marks, by stepping through
// it one by one on the real processor. Slow (about 100,000 a second), and so only for small jobs;
// but it sees instruction sets that valgrind does not know. Not a profiler.
//
//   step_counter PROGRAM ARGUMENTS...
//
// A mark is SIGTRAP, which the program raises itself. Instructions of libraries are stepped over
// without being counted: which of their versions runs is not ours. Exits with 77 where the system
// forbids tracing.
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSkipped = 77;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "step_counter: %s\n", why);
  std::exit(1);
}

struct Range {
  std::uint64_t begin, end;
};

// Where the program's own instructions lie in memory.
std::vector<Range> own_code(pid_t child) {
  const std::string folder = "/proc/" + std::to_string(child);
  char program[4096];
  const ssize_t length = ::readlink((folder + "/exe").c_str(), program, sizeof program);
  if (length <= 0) give_up("the program's path cannot be read");
  const std::string path(program, static_cast<std::size_t>(length));
  std::vector<Range> ranges;
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string addresses, permissions, offset, device, inode, file;
    words >> addresses >> permissions >> offset >> device >> inode >> file;
    if (file != path || permissions.find('x') == std::string::npos) continue;
    const std::size_t dash = addresses.find('-');
    ranges.push_back({std::stoull(addresses.substr(0, dash), nullptr, 16),
                      std::stoull(addresses.substr(dash + 1), nullptr, 16)});
  }
  if (ranges.empty()) give_up("the program's code was not found");
  return ranges;
}

// Lets the program run until it stops; true where it stopped at a mark, false where it has ended.
bool run_to_mark(pid_t child) {
  int status = 0;
  if (::ptrace(PTRACE_CONT, child, nullptr, nullptr) != 0) give_up("the program cannot go on");
  if (::waitpid(child, &status, 0) != child) give_up("the program is lost");
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) std::exit(kSkipped);
  return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: step_counter PROGRAM ARGUMENTS...");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kSkipped);
    ::execv(argv[1], argv + 1);
    ::_exit(126);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) give_up("the program cannot be started");
  if (!WIFSTOPPED(status)) {
    return WIFEXITED(status) && WEXITSTATUS(status) == kSkipped ? kSkipped : 1;
  }
  if (!run_to_mark(child)) give_up("the program ended without a mark");

  const std::vector<Range> own = own_code(child);
  std::uint64_t count = 0;
  for (;;) {
    if (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) give_up("cannot step");
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
      give_up("the program ended before its second mark");
    siginfo_t why{};
    // A step stops with TRAP_TRACE; the program's own mark with another code.
    if (::ptrace(PTRACE_GETSIGINFO, child, nullptr, &why) != 0) give_up("cannot look at the stop");
    if (why.si_signo != SIGTRAP || why.si_code == SI_TKILL) break;
    user_regs_struct registers{};
    if (::ptrace(PTRACE_GETREGS, child, nullptr, &registers) != 0) give_up("cannot look inside");
    for (const Range& range : own) {
      count += registers.rip >= range.begin && registers.rip < range.end ? 1 : 0;
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  std::printf("%llu\n", static_cast<unsigned long long>(count));
  return 0;
}
