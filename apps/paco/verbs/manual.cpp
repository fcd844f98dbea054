// `paco manual`: the manual page, the reference page of the documents and completion for shells.
#include "cli/manual.hpp"

#include "cli/verb.hpp"
#include "verbs/verb_table.hpp"

namespace paco {
namespace {

std::string text_of(const std::string& format, const VerbList& verbs) {
  if (format == "markdown") return manual_markdown(verbs);
  if (format == "bash") return completion_bash(verbs);
  if (format == "zsh") return completion_zsh(verbs);
  if (format == "fish") return completion_fish(verbs);
  return manual_man(verbs, PACO_VERSION);
}

}  // namespace

void add_manual(Options& verb, Context& context) {
  verb.about(
      "Print the manual page, or completion for a shell.\nFor example "
      "'paco manual man | man -l -', or 'source <(paco manual bash)'.");
  auto format = std::make_shared<std::string>("man");
  verb.add_text("format", *format, "what to print")
      .one_of({"man", "markdown", "bash", "zsh", "fish"});
  verb.set_silent();
  verb.set_body(
      [&context, format] { return write_stdout(context, text_of(*format, all_verbs(context))); });
}

}  // namespace paco
