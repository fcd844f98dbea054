#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace paco {
namespace {

int signal_pipe[2] = {-1, -1};
volatile sig_atomic_t signals_seen = 0;

// Only what is allowed in a handler: std::stop_source may take a lock, so a thread does that part.
void on_signal(int) {
  const int saved = errno;
  if (signals_seen != 0) ::_exit(130);
  signals_seen = 1;
  const char byte = 0;
  if (::write(signal_pipe[1], &byte, 1) < 0) ::_exit(130);
  errno = saved;
}

void watch(std::stop_source source) {
  char byte = 0;
  while (::read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
  }
  source.request_stop();
}

}  // namespace

std::stop_token stop_on_signals() {
  std::stop_source source;
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, see write_stdout
  if (::pipe(signal_pipe) != 0) return source.get_token();

  // The watching thread is started with the signals blocked, so that they reach the main thread and
  // wake it from a read of a pipe that has gone quiet (no SA_RESTART below).
  sigset_t stopping, before;
  sigemptyset(&stopping);
  sigaddset(&stopping, SIGINT);
  sigaddset(&stopping, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &stopping, &before);
  std::thread(watch, source).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM}) {
    // A shell that starts a job in the background has the signal ignored, and it stays so.
    struct sigaction present {};
    ::sigaction(number, nullptr, &present);
    if (present.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  return source.get_token();
}

}  // namespace paco
