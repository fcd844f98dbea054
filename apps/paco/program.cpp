#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "hand_over.hpp"
#include "help.hpp"
#include "signals.hpp"
#include "verb.hpp"
#include "verb_table.hpp"

namespace paco {

namespace {

std::unique_ptr<core::Progress> progress_on_stderr(const core::Clock& clock) {
  const core::TextSink sink = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  if (::isatty(STDERR_FILENO) == 0) return core::make_progress_rows(sink, clock);
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return core::make_progress_bar(sink, clock, known ? size.ws_col : 80);
}

// A verb of another program, for the list of verbs. It is run here only where that is missing.
void add_handed_verb(CLI::App& app, Context& context, const VerbEntry& entry) {
  CLI::App& verb = *app.add_subcommand(entry.name, entry.about);
  verb.allow_extras();
  verb.callback([&context, &verb, &entry] {
    const std::vector<std::string> given = verb.remaining();
    context.json = std::find(given.begin(), given.end(), "--json") != given.end();
    context.outcome =
        Error{ErrorCode::unsupported,
              fmt::format("'{}' needs {}, which is not beside paco", entry.name, entry.program),
              "keep the programs in one folder, as the build and the installation put them"};
  });
}

void add_verb(CLI::App& app, Context& context, const VerbEntry& entry) {
  if (entry.add != nullptr) entry.add(app, context);
  if (entry.program != nullptr) add_handed_verb(app, context, entry);
}

// The verb that is asked for; where the first word is none, all of them, for help and for what a
// mistyped word is near to. The options of all together take longer to make than a short run.
void add_verbs(CLI::App& app, Context& context, std::string_view word) {
  const auto table = verb_table();
  const auto chosen = std::find_if(table.begin(), table.end(), [&](const VerbEntry& entry) {
    return entry.name == word && entry.needs == nullptr;
  });
  if (chosen != table.end()) {
    add_verb(app, context, *chosen);
  } else {
    for (const VerbEntry& entry : table) add_verb(app, context, entry);
  }
  for (CLI::App* verb : app.get_subcommands({})) verb->group("Verbs");
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
  context.clock = core::steady_clock();
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

  add_verbs(app, context, argc > 1 ? argv[1] : "");
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

int run_program(int argc, char** argv) {
  take_free_descriptors();
  hand_over(argv, argv[1]);
  int code = 1;
  try {
    code = run(argc, argv);
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

}  // namespace paco
