#include "signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/files.hpp"

namespace paco {
namespace {

constexpr int kPatientWakes = 10;  // a fifth of a second for an orderly end

int signal_pipe[2] = {-1, -1};
volatile sig_atomic_t signals_seen = 0;
volatile sig_atomic_t first_signal = 0;
volatile sig_atomic_t reloads = 0;  // SIGHUP only calls `reload`
std::mutex reload_mutex;
std::function<void()> reload;

void end_at_once() {
  core::remove_temporary_files();
  ::_exit(130);
}

// Uses only functions allowed in a signal handler. std::stop_source may take a lock, so a thread
// sets the token.
void on_signal(int number) {
  const int saved = errno;
  const char byte = reloads != 0 && number == SIGHUP ? 1 : 0;
  if (byte == 0) {
    if (signals_seen != 0) end_at_once();
    signals_seen = 1;
    first_signal = number;
  }
  if (::write(signal_pipe[1], &byte, 1) < 0) end_at_once();
  errno = saved;
}

void on_wake(int) {}

enum Losing : int { much, nothing, nothing_with_json, ending };
std::atomic<int> losing{much};

void say(int descriptor, std::string_view text) {
  // If this write fails too, only the exit code reports the interruption.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

// Ends the process with the messages of an orderly end, if the verb has nothing to lose.
void end_unless_needed() {
  int found = losing;
  if (found == much || !losing.compare_exchange_strong(found, ending)) return;
  say(STDERR_FILENO, "paco: interrupted\n");
  if (found == nothing_with_json) {
    say(STDOUT_FILENO,
        "{\n  \"error\": {\n    \"code\": \"interrupted\",\n    \"message\": \"interrupted\",\n"
        "    \"hint\": \"\"\n  }\n}\n");
  }
  end_at_once();
}

// Waits for the first signal and sets the token. The main thread may have checked the token just
// before and then blocked in a read of an idle pipe; so it is woken repeatedly until the process
// ends.
void watch(std::stop_source source, pthread_t main_thread) {
  while (true) {
    char byte = 0;
    const ssize_t got = ::read(signal_pipe[0], &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == 0) break;
    const std::lock_guard lock(reload_mutex);
    if (reload) reload();
  }
  source.request_stop();
  for (int wakes = 0;; ++wakes) {
    ::pthread_kill(main_thread, SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (wakes >= kPatientWakes) end_unless_needed();
  }
}

}  // namespace

std::stop_token stop_on_signals() {
  std::stop_source source;
  ::signal(SIGPIPE, SIG_IGN);  // the write to a closed pipe then fails, see write_stdout
  ::signal(SIGXFSZ, SIG_IGN);  // so does a write beyond the file size limit
  if (::pipe2(signal_pipe, O_CLOEXEC) != 0) return source.get_token();

  // Without SA_RESTART, a blocking read returns on a signal. All signals are blocked in the
  // watching thread.
  struct sigaction wake {};
  wake.sa_handler = on_wake;
  ::sigaction(SIGUSR1, &wake, nullptr);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread(watch, source, ::pthread_self()).detach();
  } catch (const std::system_error&) {
    signals_seen = 1;  // without a watcher, the first signal ends the process
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // A shell ignores SIGINT for background jobs; keep that setting.
    struct sigaction present {};
    ::sigaction(number, nullptr, &present);
    if (present.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  return source.get_token();
}

bool stopped_by_sigterm() { return first_signal == SIGTERM; }

ReloadOnHangup::ReloadOnHangup(std::function<void()> what) {
  {
    const std::lock_guard lock(reload_mutex);
    reload = std::move(what);
  }
  reloads = 1;
  struct sigaction action {};  // even if a shell ignores it
  action.sa_handler = on_signal;
  ::sigaction(SIGHUP, &action, nullptr);
}

ReloadOnHangup::~ReloadOnHangup() {
  reloads = 0;
  const std::lock_guard lock(reload_mutex);
  reload = nullptr;
}

NothingToLose::NothingToLose(bool json) { losing = json ? nothing_with_json : nothing; }

NothingToLose::~NothingToLose() {
  // If another thread is already ending the process, wait for that.
  while (losing.exchange(much) == ending) {
    losing = ending;
    ::pause();
  }
}

}  // namespace paco
