#include "verb.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "core/printable.hpp"
#include "core/try.hpp"

namespace paco {
namespace {

// OpenBLAS tries for ever to get the memory that it works in. So where the process has a limit
// (ulimit -v) this much has to be there before anything begins.
Result<void> check_memory() {
  constexpr std::size_t kNeeded = std::size_t{512} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  void* const room = ::mmap(nullptr, kNeeded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    return Error{ErrorCode::out_of_memory, "less than 512 MB of memory are left to this process",
                 "raise the limit: 'ulimit -v unlimited', or a number of kilobytes"};
  }
  ::munmap(room, kNeeded);
  return {};
}

// A verb's own code throws nothing; a library below it may. No exception leaves the program as a
// crash.
Result<void> run_guarded(const std::function<Result<void>()>& body) {
  try {
    PACO_TRY(check_memory());
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough memory",
                 "give the program more memory, or less at once (a smaller --block or --batch)"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::unsupported, fmt::format("unexpected: {}", exception.what()),
                 "this is a mistake in paco: please report it with the output of 'paco doctor'"};
  }
}

std::string value_of(const CLI::Option& option) {
  if (option.get_expected_min() == 0 && option.get_items_expected_max() == 0) {
    return option.count() > 0 ? "on" : "off";
  }
  if (option.count() == 0) {
    const std::string text = option.get_default_str();
    return text.empty() ? "-" : text;
  }
  return CLI::detail::join(option.results(), " ");
}

// Settings are pasted into reports and logs, so what stands between "://" and "@" of an address is
// left out.
std::string without_passwords(std::string value) {
  for (std::size_t at = value.find("://"); at != std::string::npos; at = value.find("://", at)) {
    at += 3;
    const std::size_t end = std::min(value.find_first_of(",/", at), value.size());
    const std::size_t host = value.rfind('@', end);
    if (host != std::string::npos && host >= at) value.replace(at, host - at, "...");
  }
  return value;
}

void print_error(const Error& error) {
  std::fputs(fmt::format("paco: error: {}\n", core::printable(error.message)).c_str(), stderr);
  if (error.hint.empty()) return;
  std::fputs(fmt::format("  hint: {}\n", core::printable(error.hint)).c_str(), stderr);
}

// Where --json asks for an object and none is there yet.
void print_error_object(Context& context, const Error& error) {
  if (!context.json || context.printed) return;
  const Json json = {
      {"error",
       {{"code", error_code_name(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
  // Where stdout cannot take even this, the exit code says that there was a failure.
  (void)print_result(context, json, "");
}

}  // namespace

void finish_verb(CLI::App& verb, Context& context, std::function<Result<void>()> body) {
  verb.add_flag("--json", context.json, "one JSON object on stdout and nothing else there");
  verb.callback([&verb, &context, body = std::move(body)] {
    context.verb = &verb;
    print_settings(verb);
    context.outcome = run_guarded(body);
  });
}

void print_settings(const CLI::App& verb) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t width = 0;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_single_name();
    if (option == verb.get_help_ptr() || name == "json") continue;
    lines.emplace_back(name, without_passwords(value_of(*option)));
    width = std::max(width, name.size());
  }
  // A part of a verb ("category merge") is named with it; the program itself has no parent.
  std::string name = verb.get_name();
  for (const CLI::App* above = verb.get_parent();
       above != nullptr && above->get_parent() != nullptr; above = above->get_parent()) {
    name = above->get_name() + " " + name;
  }
  std::string text = fmt::format("paco {} {}\n", PACO_VERSION, name);
  for (const auto& [option, value] : lines) {
    text += fmt::format("  {:<{}}  {}\n", option, width, core::printable(value));
  }
  std::fputs(text.c_str(), stderr);
}

Result<void> print_result(Context& context, const Json& json, const std::string& text) {
  // Text from outside (a path, a class name) need not be UTF-8; the object must be.
  if (!context.json) return write_stdout(context, core::printable_lines(text));
  return write_stdout(context, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> write_stdout(Context& context, std::string_view bytes) {
  context.printed = context.printed || !bytes.empty();
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    context.reader_gone = errno == EPIPE;
    return Error{ErrorCode::io,
                 fmt::format("standard output: cannot write: {}",
                             std::error_code(errno, std::generic_category()).message()),
                 errno == ENOSPC ? "free some space or write to another disk" : ""};
  }
  return {};
}

void print_note(std::string_view text) {
  std::fputs(fmt::format("paco: {}\n", core::printable_lines(text)).c_str(), stderr);
}

int conclude(Context& context) {
  const bool stopped = context.stop.stop_requested();
  if (context.outcome.ok() && !stopped) return context.exit_code;
  if (context.reader_gone) return 1;
  const Error error = context.outcome.ok() ? Error{ErrorCode::interrupted, "interrupted", ""}
                                           : context.outcome.error();
  if (error.code != ErrorCode::interrupted) {
    print_error(error);
    if (error.code == ErrorCode::bad_argument && !stopped) return 2;
  }
  if (!stopped && error.code != ErrorCode::interrupted) {
    print_error_object(context, error);
    return 1;
  }
  print_note("interrupted");
  print_error_object(context, {ErrorCode::interrupted, error.message, error.hint});
  return 130;
}

}  // namespace paco
