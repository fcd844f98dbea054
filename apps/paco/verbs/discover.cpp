// `paco discover`: a stream of embeddings in, a decision for each out.
#include <fmt/format.h>

#include <charconv>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "io/labels.hpp"
#include "session/export.hpp"
#include "session/stream.hpp"
#include "shared/method_options.hpp"
#include "shared/support_files.hpp"
#include "shared/text_set.hpp"

namespace paco {
namespace {

struct DiscoverArguments {
  SupportFiles support;  // instead of a model
  std::string model, input, method, out, trace, resume, skip = "0";
  std::string journal, keys, durability = "full", keep = "all", bad_rows = "stop";
  std::string encoder;
  TextSet texts;
  std::uint64_t snapshot_every = 100'000;
  std::vector<std::string> set;
  session::StreamOptions stream{
      .block = 0, .state = {}, .keys = {}, .note_bad_row = {}, .note = {}};
  int threads = 1;
};

// --skip N, or "seen": the number of rows in the resumed state.
Result<std::uint64_t> rows_to_skip(const DiscoverArguments& s, std::uint64_t seen) {
  if (s.skip == "seen") return seen;
  std::uint64_t rows = 0;
  const auto parsed = std::from_chars(s.skip.data(), s.skip.data() + s.skip.size(), rows);
  if (parsed.ec == std::errc{} && parsed.ptr == s.skip.data() + s.skip.size()) return rows;
  return Error{ErrorCode::bad_argument, fmt::format("--skip {}: not a number of rows", s.skip),
               "give a number, or 'seen' for as many rows as the resumed state has decided on"};
}

// Loads the model file, or calibrates a model.
Result<Model> take_model(const Context& context, const DiscoverArguments& s) {
  if (!s.model.empty() && s.support.embeddings.empty()) return load_model(s.model);
  if (s.model.empty() && !s.support.embeddings.empty()) {
    CalibrationOptions options;
    options.threads = s.threads;
    if (!s.method.empty()) options.method = s.method;
    return calibrate_files(s.support, options, context.stop, *context.progress);
  }
  return Error{
      ErrorCode::bad_argument,
      s.model.empty() ? "neither --model nor --support is given"
                      : "both --model and --support are given",
      "give --model model.paco of 'paco calibrate', or --support and --labels to calibrate "
      "with its defaults first"};
}

Result<JournalOptions> journal_options(const DiscoverArguments& s) {
  JournalOptions options;
  options.durability = s.durability == "relaxed" ? JournalOptions::Durability::relaxed
                                                 : JournalOptions::Durability::full;
  options.snapshot_samples = s.snapshot_every;
  if (s.keep == "all") return options;
  std::uint64_t last = 0;
  const auto parsed = std::from_chars(s.keep.data(), s.keep.data() + s.keep.size(), last);
  if (parsed.ec != std::errc{} || parsed.ptr != s.keep.data() + s.keep.size()) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("--keep-embeddings {}: neither 'all' nor a number", s.keep),
                 "give 'all', or how many of the last samples keep theirs"};
  }
  options.embeddings = last;
  return options;
}

// An existing journal is continued; it contains its model.
Result<Session> open_session(const Context& context, const DiscoverArguments& s) {
  MethodOptions options;
  options.threads = s.threads;
  PACO_ASSIGN(options.settings, parse_settings(s.set));
  if (s.journal.empty()) {
    PACO_ASSIGN(Model model, take_model(context, s));
    return Session::start(std::make_shared<const Model>(std::move(model)), s.method, options);
  }
  PACO_ASSIGN(const JournalOptions journal, journal_options(s));
  if (core::path_kind(s.journal) == core::PathKind::absent) {
    PACO_ASSIGN(Model model, take_model(context, s));
    return Session::create(s.journal, std::make_shared<const Model>(std::move(model)), s.method,
                           options, journal);
  }
  PACO_ASSIGN(Session session,
              Session::open(s.journal, s.threads, journal.durability, context.stop));
  if (!s.model.empty() || !s.support.embeddings.empty()) {
    PACO_ASSIGN(const Model model, take_model(context, s));
    if (model.fingerprint() != session.model().fingerprint()) {
      return Error{
          ErrorCode::mismatch,
          fmt::format("{}: a stream of model {}, not of {} ({})", s.journal,
                      session.model().fingerprint(),
                      s.model.empty() ? s.support.embeddings : s.model, model.fingerprint()),
          "leave --model out: the journal has its own; or begin another journal"};
    }
  }
  if (!s.method.empty() && s.method != session.method().name()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: a stream of method '{}', not of '{}'", s.journal,
                             session.method().name(), s.method),
                 "begin another journal, or compare: 'paco replay JOURNAL --method M'"};
  }
  if (!options.settings.empty() && options.settings != session.method().settings()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: its stream was begun with other options", s.journal),
                 "leave --set out"};
  }
  return session;
}

// The state may be saved to the file it came from; no other input may be overwritten.
Result<void> check_files(const DiscoverArguments& s) {
  std::vector<NamedFile> inputs = named_files(s.support);
  inputs.insert(
      inputs.end(),
      {{"--model", s.model}, {"--input", s.input}, {"--texts", s.texts.file}, {"--keys", s.keys}});
  PACO_TRY(check_outputs({{"--resume", s.resume}}, {{"--out", s.out}, {"--trace", s.trace}}));
  return check_outputs(inputs, {{"--out", s.out},
                                {"--trace", s.trace},
                                {"--save-state", s.stream.state},
                                {"--journal", s.journal}});
}

Result<void> check_options(const DiscoverArguments& s) {
  if (s.input.empty() == s.texts.file.empty()) {
    return Error{ErrorCode::bad_argument, "discover needs embeddings or texts, and not both",
                 "give --input FILE, or --texts FILE"};
  }
  if (s.stream.save_every > 0 && s.stream.state.empty()) {
    return Error{ErrorCode::bad_argument, "--save-every needs --save-state",
                 "say where to save the state"};
  }
  if (s.journal.empty() && !s.keys.empty() && !s.resume.empty()) {
    return Error{ErrorCode::bad_argument, "--keys with --resume needs a journal",
                 "a state does not know the keys it has seen; use --journal"};
  }
  if (!s.journal.empty() && (!s.resume.empty() || !s.stream.state.empty() || !s.trace.empty())) {
    return Error{ErrorCode::bad_argument,
                 "--journal goes without --resume, --save-state and --trace",
                 "the journal holds the state, and the evidence of every decision"};
  }
  if (s.stream.continues && (s.journal.empty() || s.skip != "0" || !s.keys.empty())) {
    return Error{ErrorCode::bad_argument,
                 s.journal.empty() ? "--continue needs --journal"
                                   : "--continue goes without --skip and --keys",
                 s.journal.empty() ? "a saved state goes on with --resume S --skip seen"
                                   : "it finds the row by itself; with keys nothing is doubled"};
  }
  return {};
}

// The output length at which a resumed run continues; nothing for a new output.
Result<std::optional<std::uint64_t>> continued(const std::string& path, bool resumes,
                                               const std::optional<std::uint64_t>& length) {
  if (!resumes || path.empty() || length) return resumes ? length : std::nullopt;
  if (core::path_kind(path) != core::PathKind::file) return std::optional<std::uint64_t>();
  return Error{ErrorCode::bad_argument,
               fmt::format("{}: it is there already, and the state does not know it", path),
               "give another name for the part that follows, or remove the file"};
}

Result<void> conclude(Context& context, const DiscoverArguments& s, Session& session,
                      const session::StreamOutcome& outcome) {
  if (outcome.interrupted) {
    std::string words = fmt::format("stopped after {} samples", session.samples());
    if (!s.journal.empty()) {
      words += "; the same command goes on from there";
    } else if (!s.stream.state.empty()) {
      words += fmt::format("; go on with --resume {} --skip seen{}", s.stream.state,
                           s.out.empty() ? "" : " and the same --out");
    }
    if (!s.out.empty())
      words += fmt::format("; decisions so far are in {}", core::PartialFile::partial_name(s.out));
    print_note(words);
  }
  const std::string text = session::stream_summary_text(session, outcome);
  if (outcome.refused) {
    print_note(text);
    Error error = *outcome.refused;
    error.message +=
        fmt::format("; the {} samples before it are decided and saved", session.samples());
    return error;
  }
  if (s.out.empty() && !context.json) {  // stdout has the decisions
    print_note(text);
    return {};
  }
  return print_result(context, session::stream_summary_json(session, outcome), text);
}

// Opens embeddings, checking that they fit the model as far as their record tells, or embeds texts.
Result<TextInput> open_input(Context& context, const DiscoverArguments& s, const Model& model) {
  if (!s.texts.file.empty()) return open_text_input(context, s.texts, s.encoder, model);
  PACO_ASSIGN(const auto record, io::find_embedding_record(s.input));
  if (record) PACO_TRY(check_embedding(model, *record, s.input));
  TextInput out;
  PACO_ASSIGN(out.source, io::open_embeddings(s.input));
  return out;
}

Result<void> run(Context& context, DiscoverArguments& s) {
  PACO_TRY(check_files(s));
  PACO_TRY(check_options(s));
  s.stream.skip_bad_rows = s.bad_rows == "skip";
  s.texts.strict = !s.stream.skip_bad_rows;
  PACO_ASSIGN(Session session, open_session(context, s));
  PACO_ASSIGN(TextInput input, open_input(context, s, session.model()));
  const bool journaled = session.has_journal();
  session::SavedRun saved;
  if (!s.resume.empty()) {
    PACO_TRY(session.restore(s.resume));
    PACO_ASSIGN(saved, session::saved_run(s.resume, session.samples()));
    s.stream.consumed = saved.rows;
  }
  std::vector<std::string> keys;
  if (!s.keys.empty()) {
    PACO_ASSIGN(keys, io::read_keys(s.keys));
    s.stream.keys = keys;
  } else if (journaled && !s.stream.continues && s.skip == "0") {
    s.stream.keys = input.keys;  // a text read again gets its earlier answer
  }
  if (journaled) s.stream.attributes = input.attributes;
  PACO_ASSIGN(s.stream.skip, rows_to_skip(s, saved.rows));
  if (s.skip == "seen" && journaled) s.stream.seen = session.samples();
  if (s.stream.block == 0) s.stream.block = 256;
  s.stream.note_bad_row = [](const Error& error) { print_note("skipped: " + error.message); };
  s.stream.note = [](const std::string& note) { print_note(note); };
  const std::shared_ptr<io::EmbeddingSource> source = std::move(input.source);

  const MethodInfo& method = session.method().info();
  std::unique_ptr<io::DecisionWriter> writer;
  if (!s.out.empty()) {
    PACO_ASSIGN(const auto length, continued(s.out, !s.resume.empty(), saved.decisions));
    PACO_ASSIGN(writer, io::make_decision_writer(s.out, method, length));
  } else if (!context.json) {
    writer = io::make_json_line_writer(
        [&](std::string_view text) { return write_stdout(context, text); }, method);
  }
  std::optional<io::TraceWriter> trace;
  if (!s.trace.empty()) {
    PACO_ASSIGN(const auto length, continued(s.trace, !s.resume.empty(), saved.trace));
    PACO_ASSIGN(trace, io::TraceWriter::create(s.trace, method, length));
  }
  for (const std::string& note : source->notes()) print_note(note);
  PACO_ASSIGN(
      const session::StreamOutcome outcome,
      session::run_stream(source, session, s.stream,
                          {writer.get(), trace ? &*trace : nullptr, journaled && !s.out.empty()},
                          *context.progress, context.clock, context.stop));
  if (journaled) PACO_TRY(session.checkpoint());
  PACO_TRY(conclude(context, s, session, outcome));
  return session.close();
}

}  // namespace

void add_discover(Options& verb, Context& context) {
  verb.about(
      "Decide on every sample of a stream, at once and for good.\nWithout "
      "--out, decisions go to standard output as JSON lines. With --journal "
      "the stream lives in one file: the same command "
      "again goes on where a file that has not changed was left.");
  auto s = std::make_shared<DiscoverArguments>();
  verb.add_text("--model", s->model,
                "model file of 'paco calibrate'; needed unless --support is given");
  const SupportFileOptions support = add_support_files(verb, s->support);
  support.embeddings.text =
      "in place of a model: labelled embeddings, to calibrate on with the defaults";
  support.embeddings.needs("--labels");
  verb.add_text("--input", s->input, "embeddings in stream order; - reads standard input");
  verb.add_text("--texts", s->texts.file,
                "in their place: a .csv, .tsv, .jsonl or .txt file of texts, to be embedded first");
  verb.add_text("--column", s->texts.column, "the column or key of the texts")
      .shown_default("text, or the only column");
  verb.add_text("--encoder", s->encoder, "of the texts: a name of 'paco models', or a folder")
      .shown_default("the model's, if it has a name");
  verb.add_text("--method", s->method, fmt::format("one of {}", fmt::join(method_names(), ", ")))
      .shown_default("the model's");
  add_set_option(verb, s->set, "deciding");
  verb.add_text("--out", s->out, "decisions to write: .csv, .jsonl or .npy (ids alone)");
  verb.add_text("--trace", s->trace, "csv with evidence and memory at every sample");
  verb.add_text("--journal", s->journal,
                "keep the stream in this file: model, samples, decisions, operations");
  verb.add_flag("--continue", s->stream.continues,
                "pass over the rows at the beginning of the input that the journal holds");
  verb.add_text("--keys", s->keys,
                "text, one key a line for each row: a key seen before is answered as it was");
  verb.add_text("--durability", s->durability,
                "of the journal: 'full' answers when a decision is on the disk, 'relaxed' syncs "
                "a few times a second")
      .one_of({"full", "relaxed"});
  verb.add_text("--keep-embeddings", s->keep,
                "in the journal: 'all', or of how many of the last samples; those since the newest "
                "snapshot are kept too");
  add_count(verb, "--snapshot-every", s->snapshot_every, 1, 1'000'000'000,
            "samples between snapshots in the journal");
  verb.add_text("--on-bad-row", s->bad_rows,
                "a row that cannot be decided (NaN, zeros): 'stop' there, or 'skip' it")
      .one_of({"stop", "skip"});
  add_count(verb, "--block", s->stream.block, 1, 65536, "samples decided at once; speed only")
      .shown_default("256");
  add_threads(verb, s->threads, "speed only, no decision depends on it");
  verb.add_text("--save-state", s->stream.state, "save the state at the end and when interrupted");
  add_count(verb, "--save-every", s->stream.save_every, 0, kNoLimit,
            "and after every so many samples; 0: not");
  verb.add_text("--resume", s->resume, "go on from a saved state");
  verb.add_text("--skip", s->skip,
                "rows of the input to pass over; 'seen': those the state has decided on");
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
