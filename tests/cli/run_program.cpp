#include "cli/run_program.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace paco::testing {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe(ends) != 0) ADD_FAILURE() << "no pipe";
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// In the child: never returns.
[[noreturn]] void become_script(const std::string& script, const std::string& folder, Pipe& out,
                                Pipe& err) {
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);
  ::dup2(out.ends[1], STDOUT_FILENO);
  ::dup2(err.ends[1], STDERR_FILENO);
  for (Pipe* pipe : {&out, &err}) {
    pipe->close_end(0);
    pipe->close_end(1);
  }
  if (::freopen("/dev/null", "r", stdin) == nullptr || ::chdir(folder.c_str()) != 0) ::_exit(126);
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (folder + "/.bin:" + (path != nullptr ? path : "/usr/bin:/bin")).c_str(), 1);
  ::setenv("SOURCE", PACO_SOURCE_DIR, 1);
  ::setenv("LC_ALL", "C", 1);
  ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

// Appends what is there; false at the end.
bool take(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

Ran run_script(const std::string& script, const std::string& folder,
               const std::string& interrupt_at) {
  std::filesystem::create_directories(folder + "/.bin");
  std::error_code already_there;
  std::filesystem::create_symlink(PACO_PROGRAM, folder + "/.bin/paco", already_there);

  Pipe out, err;
  const pid_t child = ::fork();
  if (child == 0) become_script(script, folder, out, err);
  out.close_end(1);
  err.close_end(1);

  Ran ran;
  bool interrupted = interrupt_at.empty();
  std::array<pollfd, 2> watched = {pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
  std::array<std::string*, 2> texts = {&ran.out, &ran.err};
  int open_ends = 2;
  while (open_ends > 0) {
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].revents == 0 || take(watched[i].fd, *texts[i])) continue;
      watched[i].fd = -1;  // poll skips it from now on
      --open_ends;
    }
    if (!interrupted && ran.err.find(interrupt_at) != std::string::npos) {
      interrupted = true;
      ::kill(-child, SIGINT);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  EXPECT_TRUE(interrupted) << "'" << interrupt_at << "' never stood on stderr";
  return ran;
}

}  // namespace paco::testing
