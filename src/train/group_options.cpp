#include "train/group_options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace paco::train {

Result<GroupOptions> group_options(
    const GroupArguments& arguments,
    const std::function<std::optional<std::string>(const std::string&)>& variable) {
  std::optional<Error> wrong;
  const auto number = [&](std::optional<int> given, const char* name) -> std::optional<int> {
    if (given) return given;
    const auto text = variable(name);
    if (!text) return std::nullopt;
    int value = 0;
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (code != std::errc() || end != text->data() + text->size()) {
      wrong = Error{ErrorCode::bad_argument,
                    fmt::format("the environment variable {} is \"{}\", not a number", name, *text),
                    "set it to a number, or give the option instead"};
      return std::nullopt;
    }
    return value;
  };
  const auto rank = number(arguments.rank, "RANK");
  const auto size = number(arguments.size, "WORLD_SIZE");
  const auto port = number(arguments.port, "MASTER_PORT");
  if (wrong) return *wrong;
  if (!rank || !size) {
    return Error{ErrorCode::bad_argument,
                 "--distributed needs to know which process this is of how many",
                 "give --rank and --processes, or set RANK and WORLD_SIZE (as launchers do)"};
  }
  GroupOptions options;
  options.rank = *rank;
  options.size = *size;
  if (port) options.port = *port;
  if (arguments.address) {
    options.address = *arguments.address;
  } else if (const auto address = variable("MASTER_ADDR")) {
    options.address = *address;
  }
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("process {} of {} cannot be", options.rank, options.size),
                 "ranks count from 0 to one less than the number of processes"};
  }
  if (options.port < 1 || options.port > 65535) {
    return Error{ErrorCode::bad_argument, fmt::format("{} is no port", options.port),
                 "choose a free port from 1024 to 65535, the same for every process"};
  }
  return options;
}

}  // namespace paco::train
