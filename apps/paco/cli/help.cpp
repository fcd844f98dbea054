#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace paco {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kNameColumns = 26;
constexpr std::size_t kLineColumns = 100;

// Wraps the words of `text` into lines that start at `column`; the first line is already filled up
// to there.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string out;
  std::size_t used = column;
  while (true) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (used > column && used + 1 + word.size() > kLineColumns) {
      out += "\n" + std::string(column, ' ');
      used = column;
    } else if (used > column) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    if (word.size() == text.size()) return out + "\n";
    text.remove_prefix(word.size() + 1);
  }
}

// "  name   description"; after a long name, the description begins on a new line.
std::string entry(const std::string& name, std::string_view description) {
  const std::size_t column = kIndent + kNameColumns;
  std::string out = std::string(kIndent, ' ') + name;
  if (name.size() + 2 > kNameColumns) {
    out += "\n" + std::string(column, ' ');
  } else {
    out += std::string(column - out.size(), ' ');
  }
  return out + wrapped(description, column);
}

std::string usage_of(const Options& verb) {
  std::string out = fmt::format("\nusage: paco {}", verb.name());
  if (!verb.parts().empty()) return out + " VERB [OPTIONS]\n";
  for (const auto& option : verb.list()) {
    if (option->positional()) {
      const std::string name = option->names + (option->many ? "..." : "");
      out += option->is_required ? " " + name : " [" + name + "]";
    } else if (option->is_required) {
      out += fmt::format(" --{} {}", option->long_name(), option->value_type);
    }
  }
  return out + " [OPTIONS]\n";
}

std::string option_entry(const Option& option) {
  std::string name = option.names;
  if (option.flag == nullptr && !option.positional()) name += " " + option.value_type;
  std::vector<std::string> remarks;
  if (!option.range.empty()) remarks.push_back(option.range);
  if (option.is_required) {
    remarks.push_back("required");
  } else if (option.flag == nullptr) {
    remarks.push_back("default: " + (option.preset.empty() ? "none" : option.preset));
  }
  if (remarks.empty()) return entry(name, option.text);
  return entry(name, fmt::format("{} ({})", option.text, fmt::join(remarks, ", ")));
}

// The first line of a verb's description.
std::string verb_entry(const std::string& name, const std::string& about) {
  std::string line = about.substr(0, about.find('\n'));
  if (line.ends_with('.')) line.pop_back();
  return entry(name, line);
}

}  // namespace

std::string help_text(const Options& verb) {
  std::string positionals, options = entry("-h,--help", "this text"), parts;
  for (const auto& option : verb.list())
    (option->positional() ? positionals : options) += option_entry(*option);
  for (const auto& part : verb.parts())
    parts += verb_entry(part->name().substr(part->name().rfind(' ') + 1), part->about());
  std::string text = verb.about() + "\n" + usage_of(verb);
  if (!positionals.empty()) text += "\nPositionals:\n" + positionals;
  text += "\nOptions:\n" + options;
  if (!parts.empty()) text += "\nSubcommands:\n" + parts;
  return text;
}

std::string program_help(const std::vector<std::unique_ptr<Options>>& verbs) {
  std::string text =
      "paco decides, for every sample of a stream and at once: a known class, a category that "
      "appeared\n"
      "earlier in the stream, or the start of a new one.\n"
      "\nusage: paco VERB [OPTIONS]\n"
      "\nOptions:\n" +
      entry("-h,--help", "this text") + entry("--version", "the version") + "\nVerbs:\n";
  for (const auto& verb : verbs) text += verb_entry(verb->name(), verb->about());
  return text +
         "\n'paco VERB --help' shows the options of a verb.\n"
         "Exit codes: 0 ok, 1 failed, 2 misuse, 130 interrupted.\n";
}

}  // namespace paco
