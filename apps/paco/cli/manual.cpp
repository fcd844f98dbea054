#include "cli/manual.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "cli/help.hpp"

namespace paco {
namespace {

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// "a|b|c" -> a, b, c; empty if the option accepts any value.
std::vector<std::string> choices_of(const Option& option) {
  std::vector<std::string> words;
  if (option.value_type.find('|') == std::string::npos) return words;
  std::string_view rest = option.value_type;
  while (true) {
    const std::size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) return words;
    rest.remove_prefix(bar + 1);
  }
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

std::string first_line(const std::string& about) {
  std::string line = about.substr(0, about.find('\n'));
  if (line.ends_with('.')) line.pop_back();
  return line;
}

// All verbs and parts with options, in order.
void each_command(const VerbList& verbs, const std::function<void(const Options&)>& visit) {
  for (const auto& verb : verbs) {
    if (verb->parts().empty()) {
      visit(*verb);
    } else {
      each_command(verb->parts(), visit);
    }
  }
}

// "--list --ssb", of one option or of all options of a verb.
std::string option_words(const Option& option) { return replace_all(option.names, ",", " "); }

std::string all_option_words(const Options& verb) {
  std::string words = "--help";
  for (const auto& option : verb.list()) {
    if (!option->positional()) words += " " + option_words(*option);
  }
  return words;
}

std::string part_words(const VerbList& parts) {
  std::vector<std::string> words;
  for (const auto& part : parts) words.push_back(last_word(part->name()));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string roff(std::string text) {
  text = replace_all(std::move(text), "\\", "\\e");
  text = replace_all(std::move(text), "-", "\\-");
  // roff takes a line that begins with one of these characters for a command.
  if (text.starts_with('.') || text.starts_with('\'')) text = "\\&" + text;
  text = replace_all(std::move(text), "\n.", "\n\\&.");
  return replace_all(std::move(text), "\n'", "\n\\&'");
}

// The remarks that the help shows after an option's text: range, default.
std::string remarks(const Option& option) {
  std::vector<std::string> words;
  if (!option.range.empty()) words.push_back(option.range);
  if (option.is_required) {
    words.emplace_back("required");
  } else if (option.flag == nullptr && !option.preset.empty()) {
    words.push_back("default: " + option.preset);
  }
  return words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
}

// Quotes a text for '...' in a shell.
std::string in_quotes(const std::string& text) { return replace_all(text, "'", "'\\''"); }

}  // namespace

std::string manual_markdown(const VerbList& verbs) {
  std::string text =
      "# Commands\n\n"
      "Every verb with its options, as `paco VERB --help` shows them.\n"
      "This page is made by `paco manual markdown`.\n";
  each_command(verbs, [&](const Options& verb) {
    text += fmt::format("\n## paco {}\n\n```\n{}```\n", verb.name(), help_text(verb));
  });
  return text;
}

std::string manual_man(const VerbList& verbs, const std::string& version) {
  std::string text = fmt::format(
      ".TH PACO 1 \"\" \"paco {}\" \"User Commands\"\n"
      ".SH NAME\npaco \\- sort a stream whose classes keep growing\n"
      ".SH SYNOPSIS\n.B paco\n.I VERB\n[\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n"
      "paco learns from labelled examples and decides on every sample of an unlabelled stream, at\n"
      "once and for good: a known class, a category that appeared earlier in the stream, or the\n"
      "start of a new one.\n",
      version);
  each_command(verbs, [&](const Options& verb) {
    text += fmt::format(".SH \"PACO {}\"\n{}\n", roff(verb.name()), roff(verb.about()));
    for (const auto& option : verb.list()) {
      std::string name = option->names;
      if (option->flag == nullptr && !option->positional()) name += " " + option->value_type;
      text += fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(option->text + remarks(*option)));
    }
  });
  return text +
         ".SH \"EXIT STATUS\"\n0 ok, 1 failed, 2 misuse, 130 interrupted.\n"
         ".SH FILES\nA model is one file (.paco), a stream is one SQLite file (.journal).\n"
         ".SH \"SEE ALSO\"\n/usr/share/doc/paco, and \\fBpaco\\fR \\fIVERB\\fR \\-\\-help.\n";
}

std::string completion_bash(const VerbList& verbs) {
  std::string with_parts, parts, options, values;
  for (const auto& verb : verbs) {
    if (!verb->parts().empty()) {
      with_parts += (with_parts.empty() ? "" : " | ") + verb->name();
      parts += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                           verb->name(), part_words(verb->parts()));
    }
  }
  each_command(verbs, [&](const Options& verb) {
    options += fmt::format("    '{}') options='{}' ;;\n", verb.name(), all_option_words(verb));
    for (const auto& option : verb.list()) {
      const std::vector<std::string> choices = choices_of(*option);
      if (choices.empty() || option->positional()) continue;
      values +=
          fmt::format("    '{} --{}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                      verb.name(), option->long_name(), fmt::join(choices, " "));
    }
  });
  return "# Completion of paco for bash, made by 'paco manual bash'.\n"
         "_paco() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local command=\"${COMP_WORDS[1]}\" options=''\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '" +
         part_words(verbs) +
         " --help --version' -- \"$word\"))\n    return\n  fi\n"
         "  if [ \"$COMP_CWORD\" = 2 ]; then\n    case \"$command\" in\n" +
         parts +
         "    esac\n  fi\n"
         "  case \"$command\" in\n    " +
         with_parts +
         ") command=\"$command ${COMP_WORDS[2]}\" ;;\n  esac\n"
         "  case \"$command $before\" in\n" +
         values + "  esac\n  case \"$command\" in\n" + options +
         "  esac\n"
         "  case \"$word\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n}\n"
         "complete -o filenames -F _paco paco\n";
}

std::string completion_zsh(const VerbList& verbs) {
  // Quotes a text for '...' in zsh's _arguments, which interprets brackets and colons.
  const auto plain = [](const std::string& text) {
    return in_quotes(replace_all(
        replace_all(replace_all(replace_all(text, "\\", "\\\\"), "[", "\\["), "]", "\\]"), ":",
        "\\:"));
  };
  std::string list, cases;
  const std::function<void(const VerbList&)> add_cases = [&](const VerbList& commands) {
    for (const auto& verb : commands) {
      if (!verb->parts().empty()) {
        cases += fmt::format("    '{}') compadd {} ;;\n", verb->name(), part_words(verb->parts()));
        add_cases(verb->parts());
        continue;
      }
      cases += fmt::format("    '{}') _arguments", verb->name());
      for (const auto& option : verb->list()) {
        if (option->positional()) continue;
        const std::vector<std::string> choices = choices_of(*option);
        std::string value;
        if (option->flag == nullptr) {
          value = choices.empty() ? ":value:_files"
                                  : fmt::format(":value:({})", fmt::join(choices, " "));
        }
        cases +=
            fmt::format(" \\\n      '--{}[{}]{}'", option->long_name(), plain(option->text), value);
      }
      cases += " \\\n      '*:file:_files' ;;\n";
    }
  };
  add_cases(verbs);
  std::string with_parts;
  for (const auto& verb : verbs) {
    list += fmt::format("    '{}:{}'\n", verb->name(), plain(first_line(verb->about())));
    if (!verb->parts().empty()) with_parts += (with_parts.empty() ? "" : "|") + verb->name();
  }
  return "#compdef paco\n# Completion of paco for zsh, made by 'paco manual zsh'.\n"
         "_paco() {\n  local command=\"$words[2]\"\n  local -a verbs=(\n" +
         list +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
         "  if (( CURRENT > 3 )) && [[ \"$command\" = (" +
         with_parts +
         ") ]]; then\n    command=\"$command $words[3]\"\n  fi\n"
         "  case \"$command\" in\n" +
         cases + "  esac\n}\n_paco \"$@\"\n";
}

std::string completion_fish(const VerbList& verbs) {
  std::string text = "# Completion of paco for fish, made by 'paco manual fish'.\n";
  for (const auto& verb : verbs) {
    text += fmt::format("complete -c paco -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        verb->name(), in_quotes(first_line(verb->about())));
    for (const auto& part : verb->parts()) {
      text += fmt::format(
          "complete -c paco -n '__fish_seen_subcommand_from {}; and not "
          "__fish_seen_subcommand_from "
          "{}' -f -a {} -d '{}'\n",
          verb->name(), part_words(verb->parts()), last_word(part->name()),
          in_quotes(first_line(part->about())));
    }
  }
  each_command(verbs, [&](const Options& verb) {
    const std::string where = "__fish_seen_subcommand_from " +
                              replace_all(verb.name(), " ", "; and __fish_seen_subcommand_from ");
    for (const auto& option : verb.list()) {
      if (option->positional()) continue;
      const std::vector<std::string> choices = choices_of(*option);
      std::string value;
      if (option->flag == nullptr) {
        value = choices.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
      }
      text += fmt::format("complete -c paco -n '{}' -l {}{} -d '{}'\n", where, option->long_name(),
                          value, in_quotes(option->text));
    }
  });
  return text;
}

}  // namespace paco
