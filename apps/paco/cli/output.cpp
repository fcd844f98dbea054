#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/printable.hpp"

namespace paco {
namespace {

std::string value_of(const Option& option) {
  if (option.flag != nullptr) return *option.flag ? "on" : "off";
  if (!option.given.empty()) return fmt::format("{}", fmt::join(option.given, " "));
  return option.preset.empty() ? "-" : option.preset;
}

// Removes what is between "://" and "@" in addresses, because settings are pasted into reports and
// logs.
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

// Prints an error object if --json requires one and no object was printed yet, or with
// --json-lines.
void print_error_object(Context& context, const Error& error) {
  if (!context.json || (context.printed && !context.json_lines)) return;
  const Json json = {
      {"error",
       {{"code", error_code_name(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
  // If this write fails too, the exit code still reports the failure.
  if (context.json_lines) {
    (void)write_stdout(context, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    (void)print_result(context, json, "");
  }
}

}  // namespace

void print_settings(const Options& verb) {
  std::size_t width = 0;
  for (const auto& option : verb.list()) {
    if (option->names != "--json") width = std::max(width, option->long_name().size());
  }
  std::string text = fmt::format("paco {} {}\n", PACO_VERSION, verb.name());
  for (const auto& option : verb.list()) {
    if (option->names == "--json") continue;
    text += fmt::format("  {:<{}}  {}\n", option->long_name(), width,
                        core::printable(without_passwords(value_of(*option))));
  }
  std::fputs(text.c_str(), stderr);
}

Result<void> print_result(Context& context, const Json& json, const std::string& text) {
  // Text from outside (a path, a class name) may be invalid UTF-8, but the object must be valid.
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

int conclude(Context& context, const Result<void>& outcome) {
  const bool stopped = context.stop.stop_requested();
  if (outcome.ok() && (!stopped || context.ended_as_asked)) return context.exit_code;
  if (context.reader_gone) return 1;
  const Error error =
      outcome.ok() ? Error{ErrorCode::interrupted, "interrupted", ""} : outcome.error();
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
