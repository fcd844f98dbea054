// The program's entry: knows the verbs, nothing of what they do.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "about.hpp"
#include "hand_over.hpp"
#include "help.hpp"
#include "signals.hpp"
#include "verb.hpp"

namespace paco {

#define PACO_VERB(name) void add_##name(CLI::App& app, Context& context);
#define PACO_HANDED_VERB(name)
#define PACO_ABSENT_VERB(name, needs)
#include "verbs.inc"
#undef PACO_VERB
#undef PACO_HANDED_VERB
#undef PACO_ABSENT_VERB

namespace {

std::unique_ptr<Progress> progress_on_stderr(const Clock& clock) {
  const TextSink sink = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  if (::isatty(STDERR_FILENO) == 0) return make_progress_rows(sink, clock);
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return make_progress_bar(sink, clock, known ? size.ws_col : 80);
}

// A verb of paco-torch, for the list of verbs. It is run here only where paco-torch is missing.
[[maybe_unused]] void add_handed_verb(CLI::App& app, Context& context, const std::string& name,
                                      const char* about) {
  CLI::App& verb = *app.add_subcommand(name, about);
  verb.allow_extras();
  verb.callback([&context, &verb, name] {
    const std::vector<std::string> given = verb.remaining();
    context.json = std::find(given.begin(), given.end(), "--json") != given.end();
    context.outcome =
        Error{ErrorCode::unsupported,
              fmt::format("'{}' needs paco-torch, which is not beside paco", name),
              "keep the two programs in one folder, as the build and the installation put them"};
  });
}

// CLI11 leaves room for a footer that verbs do not have.
std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

// A program may be started with standard input, output or error closed. A file that is opened then
// takes its number, and messages would go into it; so these numbers are taken by nothing first.
void take_free_descriptors() {
  int taken = 0;
  while (taken >= 0 && taken <= STDERR_FILENO) taken = ::open("/dev/null", O_RDWR);
  if (taken > STDERR_FILENO) ::close(taken);
}

int run(int argc, char** argv) {
  Context context;
  context.stop = stop_on_signals();
  context.clock = steady_clock();
  context.progress = progress_on_stderr(context.clock);

  CLI::App app{
      "paco decides, for every sample of a stream and at once: a known class, a category that "
      "appeared\n"
      "earlier in the stream, or the start of a new one.",
      "paco"};
  app.formatter(make_help_formatter());
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("--version", "paco " PACO_VERSION, "the version");
  app.option_defaults()->always_capture_default();
  app.require_subcommand(1);

#define PACO_VERB(name) add_##name(app, context);
#define PACO_HANDED_VERB(name) add_handed_verb(app, context, #name, about_##name);
#define PACO_ABSENT_VERB(name, needs)
#include "verbs.inc"
#undef PACO_VERB
#undef PACO_HANDED_VERB
#undef PACO_ABSENT_VERB

  for (CLI::App* verb : app.get_subcommands({})) verb->group("Verbs");
  app.footer(
      "'paco VERB --help' shows the options of a verb.\n"
      "Exit codes: 0 ok, 1 failed, 2 misuse, 130 interrupted.");

  if (argc == 1) {
    std::fputs(help_text(app).c_str(), stderr);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    context.outcome = write_stdout(context, [&] {
      const bool version = dynamic_cast<const CLI::CallForVersion*>(&wanted) != nullptr;
      return version ? std::string(wanted.what()) + "\n" : help_text(app);
    }());
  } catch (const CLI::ParseError& misuse) {
    context.outcome = describe_misuse(app, misuse, argv[1]);
  }
  return conclude(context);
}

}  // namespace
}  // namespace paco

int main(int argc, char** argv) {
  paco::take_free_descriptors();
#ifdef PACO_HANDS_OVER
  paco::hand_over(argv, argv[1]);
#endif
  int code = 1;
  try {
    code = paco::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("paco: error: not enough memory\n", stderr);
  }
#ifdef PACO_EXITS_AT_ONCE
  // Nothing is left to do, and exit() would wait for the threads of OpenBLAS, which where memory is
  // short never end.
  ::_exit(code);
#else
  return code;
#endif
}
