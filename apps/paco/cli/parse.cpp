#include "cli/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/nearest.hpp"

namespace paco {
namespace {

void add_option(CLI::App& app, Option& option) {
  if (option.flag != nullptr) {
    app.add_flag(option.names, *option.flag);
    return;
  }
  CLI::Option* const added = app.add_option(option.names, [&option](const CLI::results_t& values) {
    option.given = values;
    option.take(values);
    return true;
  });
  if (option.is_required) added->required();
  if (option.many) {
    added->expected(CLI::detail::expected_max_vector_size)->allow_extra_args(option.many_at_once);
    added->take_all();
  }
  if (option.check) added->check(CLI::Validator(option.check, ""));
  if (!option.variable.empty()) added->envname(option.variable);
}

void add_options(CLI::App& app, Options& options) {
  app.set_help_flag("-h,--help");
  for (const auto& option : options.list()) add_option(app, *option);
  for (const auto& option : options.list()) {
    if (!option->companion.empty())
      app.get_option("--" + option->long_name())->needs(app.get_option(option->companion));
  }
  for (const auto& part : options.parts())
    add_options(*app.add_subcommand(part->name().substr(part->name().rfind(' ') + 1)), *part);
  if (!options.parts().empty()) app.require_subcommand(1);
}

// The innermost part that the command line names.
struct Found {
  const CLI::App* app;
  Options* options;
};

Found chosen_part(const CLI::App& app, Options& options) {
  const auto& chosen = app.get_subcommands();
  if (chosen.empty()) return {&app, &options};
  const auto& parts = options.parts();
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& one) {
    return one->name().ends_with(" " + chosen.front()->get_name());
  });
  return chosen_part(*chosen.front(), **part);
}

Error unexpected_argument(const Options& options, const std::string& word,
                          const std::string& hint) {
  if (word.empty() || word[0] != '-') {
    return Error{ErrorCode::bad_argument, fmt::format("unexpected argument '{}'", word), hint};
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = {"--help"};
  for (const auto& option : options.list()) {
    if (!option->positional()) names.push_back("--" + option->long_name());
  }
  const std::string near = nearest(name, names);
  return Error{ErrorCode::bad_argument, fmt::format("unknown option '{}'", name),
               near.empty() ? hint : fmt::format("did you mean '{}'? {}", near, hint)};
}

Error describe(const CLI::App& app, Options& verb, const CLI::ParseError& misuse) {
  const std::string hint = fmt::format("'paco {} --help' shows every option", verb.name());
  if (dynamic_cast<const CLI::ExtrasError*>(&misuse) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    return unexpected_argument(*chosen_part(app, verb).options,
                               extras.empty() ? "" : extras.front(), hint);
  }
  const std::string message = misuse.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&misuse) != nullptr &&
      message.ends_with("missing")) {
    return Error{ErrorCode::bad_argument,
                 message.substr(0, message.find(':')) + ": its value is missing", hint};
  }
  return Error{ErrorCode::bad_argument, message, hint};
}

}  // namespace

Result<Parsed> parse(Options& verb, const std::vector<std::string>& words) {
  CLI::App app("", verb.name());
  add_options(app, verb);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the order of CLI11
  } catch (const CLI::CallForHelp&) {
    return Parsed{chosen_part(app, verb).options, true};
  } catch (const CLI::ParseError& misuse) {
    return describe(app, verb, misuse);
  }
  return Parsed{chosen_part(app, verb).options, false};
}

}  // namespace paco
