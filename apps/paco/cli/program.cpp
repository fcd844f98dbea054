#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/exec_sibling.hpp"
#include "cli/help.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/signals.hpp"
#include "core/try.hpp"
#include "verbs/verb_table.hpp"

namespace paco {
namespace {

std::unique_ptr<core::Progress> progress_on_stderr(const core::Clock& clock) {
  const core::TextSink sink = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  if (::isatty(STDERR_FILENO) == 0) return core::make_progress_rows(sink, clock);
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return core::make_progress_bar(sink, clock, known ? size.ws_col : 80);
}

// A program may be started with standard input, output or error closed. The next opened file would
// then get that descriptor and receive the program's messages. So free descriptors are first opened
// on /dev/null.
void take_free_descriptors() {
  int taken = 0;
  while (taken >= 0 && taken <= STDERR_FILENO) taken = ::open("/dev/null", O_RDWR);
  if (taken > STDERR_FILENO) ::close(taken);
}

bool is_limited(int resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// OpenBLAS retries for ever if it cannot allocate its working memory. So if the process has a limit
// (ulimit -v or -d), check first that this much memory is available.
Result<void> check_memory() {
  constexpr std::size_t kNeeded = std::size_t{512} << 20;
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return {};
  // Writable, because only writable memory counts as data; no page is used, because nothing is
  // written.
  void* const room = ::mmap(nullptr, kNeeded, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    return Error{ErrorCode::out_of_memory, "less than 512 MB of memory are left to this process",
                 "raise the limit: 'ulimit -v unlimited' and 'ulimit -d unlimited', or a number of "
                 "kilobytes"};
  }
  ::munmap(room, kNeeded);
  return {};
}

// Verbs do not throw, but libraries below them may. Converts every exception to an error.
Result<void> run_guarded(const std::function<Result<void>()>& body) {
  try {
    PACO_TRY(check_memory());
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough memory",
                 "give the program more memory, or less at once (a smaller --block or --batch)"};
  } catch (const std::exception& exception) {
    // Boost has its own exception type for this error, so compare the message.
    const auto no_thread = std::make_error_code(std::errc::resource_unavailable_try_again);
    if (std::string_view(exception.what()).find(no_thread.message()) != std::string_view::npos) {
      return Error{ErrorCode::out_of_memory, "the system gives this process no more threads",
                   "raise its limits ('ulimit -u' and 'ulimit -v'), or give fewer --threads"};
    }
    return Error{ErrorCode::unsupported, fmt::format("unexpected: {}", exception.what()),
                 "this is a mistake in paco: please report it with the output of 'paco doctor'"};
  }
}

Error unknown_verb(const std::string& word) {
  const std::string hint = "'paco --help' lists the verbs";
  if (word.starts_with('-')) return Error{ErrorCode::bad_argument, "a verb is needed", hint};
  std::vector<std::string> names;
  for (const VerbEntry& entry : verb_table()) {
    if (entry.add != nullptr) names.emplace_back(entry.name);
  }
  const std::string near = nearest(word, names);
  return Error{ErrorCode::bad_argument, fmt::format("unknown verb '{}'", word),
               near.empty() ? hint : fmt::format("did you mean 'paco {}'?", near)};
}

Result<void> run_verb(Context& context, const VerbEntry& entry, char** argv,
                      const std::vector<std::string>& words) {
  if (entry.add == nullptr) {
    return Error{ErrorCode::bad_argument, fmt::format("this build has no verb '{}'", entry.name),
                 entry.missing};
  }
  Options verb(entry.name);
  entry.add(verb, context);
  PACO_ASSIGN(const Parsed parsed, parse(verb, words));
  if (parsed.help) return write_stdout(context, help_text(*parsed.chosen));
  if (context.torch == nullptr && parsed.chosen->needs_torch())
    return exec_torch_sibling(entry.name, argv);
  if (!parsed.chosen->silent()) print_settings(*parsed.chosen);
  return run_guarded(parsed.chosen->body());
}

Result<void> run(Context& context, char** argv, const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (first == "-h" || first == "--help")
    return write_stdout(context, program_help(all_verbs(context)));
  if (first == "--version") return write_stdout(context, "paco " PACO_VERSION "\n");
  const auto table = verb_table();
  const auto entry = std::find_if(table.begin(), table.end(),
                                  [&](const VerbEntry& one) { return one.name == first; });
  if (entry == table.end()) return unknown_verb(first);
  return run_verb(context, *entry, argv, {words.begin() + 1, words.end()});
}

}  // namespace

int run_program(int argc, char** argv, const TorchParts* torch) {
  take_free_descriptors();
  try {
    Context context;
    context.stop = stop_on_signals();
    context.clock = core::steady_clock();
    context.progress = progress_on_stderr(context.clock);
    context.torch = torch;
    if (argc < 2) {
      std::fputs(program_help(all_verbs(context)).c_str(), stderr);
      return 2;
    }
    return conclude(context, run(context, argv, {argv + 1, argv + argc}));
  } catch (const std::bad_alloc&) {
    std::fputs("paco: error: not enough memory\n", stderr);
    return 1;
  }
}

}  // namespace paco
