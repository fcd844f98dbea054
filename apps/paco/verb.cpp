#include "verb.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace paco {
namespace {

// A verb's own code throws nothing; a library below it may. No exception leaves the program as a
// crash.
Result<void> run_guarded(const std::function<Result<void>()>& body) {
  try {
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
    lines.emplace_back(name, value_of(*option));
    width = std::max(width, name.size());
  }
  std::string text = fmt::format("paco {} {}\n", PACO_VERSION, verb.get_name());
  for (const auto& [name, value] : lines) text += fmt::format("  {:<{}}  {}\n", name, width, value);
  std::fputs(text.c_str(), stderr);
}

Result<void> print_result(Context& context, const Json& json, const std::string& text) {
  // Text from outside (a path, a class name) need not be UTF-8; the object must be.
  if (!context.json) return write_stdout(context, text);
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
  std::fputs(fmt::format("paco: {}\n", text).c_str(), stderr);
}

int conclude(Context& context) {
  const bool stopped = context.stop.stop_requested();
  if (context.outcome.ok()) {
    if (stopped) print_note("interrupted");
    return stopped ? 130 : 0;
  }
  const Error& error = context.outcome.error();
  if (context.reader_gone) return 1;
  if (stopped || error.code == ErrorCode::interrupted) {
    print_note("interrupted");
    return 130;
  }
  print_note("error: " + error.message);
  if (!error.hint.empty()) std::fputs(fmt::format("  hint: {}\n", error.hint).c_str(), stderr);
  if (error.code == ErrorCode::bad_argument) return 2;
  if (context.json && !context.printed) {
    const Json json = {{"error",
                        {{"code", error_code_name(error.code)},
                         {"message", error.message},
                         {"hint", error.hint}}}};
    // Nothing more can be done where stdout cannot take even this.
    if (!print_result(context, json, "").ok()) return 1;
  }
  return 1;
}

}  // namespace paco
