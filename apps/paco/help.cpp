#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "verb_table.hpp"

namespace paco {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kNameColumns = 26;
constexpr std::size_t kLineColumns = 100;

// Words of `text` in lines that start at `column`; the first line is already there up to that
// column.
std::string wrapped(const std::string& text, std::size_t column) {
  std::string out;
  std::size_t used = column;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (used > column && used + 1 + word.size() > kLineColumns) {
      out += "\n" + std::string(column, ' ');
      used = column;
    } else if (used > column) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
  }
  return out + "\n";
}

// "  name   description", the description on a line of its own where the name is long.
std::string entry(const std::string& name, const std::string& description) {
  const std::size_t column = kIndent + kNameColumns;
  std::string out = std::string(kIndent, ' ') + name;
  if (name.size() + 2 > kNameColumns) {
    out += "\n" + std::string(column, ' ');
  } else {
    out += std::string(column - out.size(), ' ');
  }
  return out + wrapped(description, column);
}

// "TEXT", or "high|low|mid" where CLI11 describes a choice as "ENUM:value in {high->1,low->0} OR
// {1,0}" or "TEXT:{high,low}".
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    return type.substr(0, type.find(':'));  // what follows is the check behind it
  }
  std::string choices;
  for (const std::string& choice :
       CLI::detail::split(type.substr(open + 1, close - open - 1), ',')) {
    choices += (choices.empty() ? "" : "|") + choice.substr(0, choice.find("->"));
  }
  return choices;
}

// "1 to 100", or "" where the option has no range; CLI11 says "N:INT in [1 - 100]".
std::string range_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  constexpr std::string_view mark = " in [";
  const std::size_t open = type.find(mark);
  const std::size_t middle = type.find(" - ", open);
  const std::size_t close = type.find(']', open);
  if (open == std::string::npos || middle > close || close == std::string::npos) return "";
  const std::size_t low = open + mark.size();
  return type.substr(low, middle - low) + " to " + type.substr(middle + 3, close - middle - 3);
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string out = "\nusage: " + name;
    if (!app->get_subcommands({}).empty()) return out + " VERB [OPTIONS]\n";
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) {
        out += " " + make_option_usage(option);
      } else if (option->get_required()) {
        out += " " + option->get_name() + " " + type_of(*option);
      }
    }
    return out + " [OPTIONS]\n";
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    if (!is_flag(*option) && !is_positional) name += " " + type_of(*option);
    std::vector<std::string> remarks;
    if (const std::string range = range_of(*option); !range.empty()) remarks.push_back(range);
    if (option->get_required()) {
      remarks.push_back("required");
    } else if (!is_flag(*option)) {
      const std::string text = option->get_default_str();
      remarks.push_back("default: " + (text.empty() ? "none" : text));
    }
    if (remarks.empty()) return entry(name, option->get_description());
    return entry(name, fmt::format("{} ({})", option->get_description(), fmt::join(remarks, ", ")));
  }

  std::string make_description(const CLI::App* app) const override {
    return app->get_description() + "\n";
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    const std::string description = verb->get_description();
    std::string line = description.substr(0, description.find('\n'));
    if (line.ends_with('.')) line.pop_back();
    return entry(verb->get_name(), line);
  }
};

// Single-letter edits (insert, delete, replace) that turn one word into the other.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The name nearest to a mistyped one, "" where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = 3;  // more edits than two are another word
  for (const std::string& name : names) {
    const std::size_t edits = edits_between(word, name);
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

Error unknown_verb(const CLI::App& app, const std::string& word) {
  for (const VerbEntry& entry : verb_table()) {
    if (entry.name != word || entry.needs == nullptr) continue;
    return Error{ErrorCode::bad_argument, fmt::format("this build has no verb '{}'", word),
                 entry.needs};
  }
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  const std::string near = nearest(word, names);
  return Error{ErrorCode::bad_argument, fmt::format("unknown verb '{}'", word),
               near.empty() ? "'paco --help' lists the verbs"
                            : fmt::format("did you mean 'paco {}'?", near)};
}

Error unexpected_argument(const CLI::App& verb, const std::string& word, const std::string& hint) {
  if (word.empty() || word[0] != '-') {
    return Error{ErrorCode::bad_argument, fmt::format("unexpected argument '{}'", word), hint};
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& long_name : option->get_lnames()) names.push_back("--" + long_name);
  }
  const std::string near = nearest(name, names);
  return Error{ErrorCode::bad_argument, fmt::format("unknown option '{}'", name),
               near.empty() ? hint : fmt::format("did you mean '{}'? {}", near, hint)};
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() {
  return std::make_shared<HelpFormatter>();
}

Error describe_misuse(const CLI::App& app, const CLI::ParseError& misuse,
                      const std::string& first) {
  const CLI::App* verb = nullptr;
  for (const CLI::App* known : app.get_subcommands({})) {
    if (known->get_name() == first) verb = known;
  }
  if (verb == nullptr && first[0] != '-') return unknown_verb(app, first);
  const std::string hint =
      verb == nullptr ? "'paco --help' lists the verbs"
                      : fmt::format("'paco {} --help' shows every option", verb->get_name());
  if (dynamic_cast<const CLI::RequiredError*>(&misuse) != nullptr && verb == nullptr) {
    return Error{ErrorCode::bad_argument, "a verb is needed", hint};
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&misuse) != nullptr) {
    const CLI::App& parsed = verb == nullptr ? app : *verb;
    const std::vector<std::string> extras = app.remaining(true);
    return unexpected_argument(parsed, extras.empty() ? first : extras.front(), hint);
  }
  const std::string message = misuse.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&misuse) != nullptr &&
      message.ends_with("missing")) {
    return Error{ErrorCode::bad_argument,
                 message.substr(0, message.find(':')) + ": its value is missing", hint};
  }
  // CLI11 shows a choice as a table of numbers.
  const CLI::Option* option =
      verb == nullptr ? nullptr : verb->get_option_no_throw(message.substr(0, message.find(':')));
  if (option != nullptr && !option->results().empty() &&
      type_of(*option).find('|') != std::string::npos) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: '{}' is none of {}", option->get_name(),
                             option->results().front(), type_of(*option)),
                 hint};
  }
  return Error{ErrorCode::bad_argument, message, hint};
}

}  // namespace paco
