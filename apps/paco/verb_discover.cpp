// `paco discover`: a stream of embeddings in, a decision for each out.
#include <fmt/format.h>

#include <charconv>

#include "base/try.hpp"
#include "discover/stream.hpp"
#include "stream_summary.hpp"
#include "support_files.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Settings {
  SupportFiles support;  // in place of a model
  std::string model, input, method = "paco", out, trace, resume, skip = "0";
  StreamOptions stream{0, 0, 0, ""};
  int threads = 1;
};

// --skip N, or "seen": as many rows as the state has decided on.
Result<std::uint64_t> rows_to_skip(const Settings& s, const Method& method) {
  if (s.skip == "seen") return method.stats().samples;
  std::uint64_t rows = 0;
  const auto parsed = std::from_chars(s.skip.data(), s.skip.data() + s.skip.size(), rows);
  if (parsed.ec == std::errc{} && parsed.ptr == s.skip.data() + s.skip.size()) return rows;
  return Error{ErrorCode::bad_argument, fmt::format("--skip {}: not a number of rows", s.skip),
               "give a number, or 'seen' for as many rows as the resumed state has decided on"};
}

// The model file, or a calibration on the spot.
Result<Model> take_model(const Context& context, const Settings& s) {
  if (!s.model.empty() && s.support.embeddings.empty()) return load_model(s.model);
  if (s.model.empty() && !s.support.embeddings.empty()) {
    CalibrationOptions options;
    options.threads = s.threads;
    return calibrate_files(s.support, options, context.stop);
  }
  return Error{
      ErrorCode::bad_argument,
      s.model.empty() ? "neither --model nor --support is given"
                      : "both --model and --support are given",
      "give --model model.paco of 'paco calibrate', or --support and --labels to calibrate "
      "with its defaults first"};
}

Result<void> run(Context& context, Settings& s) {
  PACO_ASSIGN(Model known, take_model(context, s));
  const auto model = std::make_shared<const Model>(std::move(known));
  PACO_ASSIGN(const std::unique_ptr<Method> method, make_method(s.method, model, {s.threads}));
  if (!s.resume.empty()) PACO_TRY(method->restore(s.resume));
  PACO_ASSIGN(s.stream.skip, rows_to_skip(s, *method));
  if (s.stream.save_every > 0 && s.stream.state.empty()) {
    return Error{ErrorCode::bad_argument, "--save-every needs --save-state",
                 "say where to save the state"};
  }
  // Whoever feeds a pipe by hand wants each answer at once.
  if (s.stream.block == 0) s.stream.block = s.input == "-" ? 1 : 256;

  std::unique_ptr<DecisionWriter> writer;
  if (!s.out.empty()) {
    PACO_ASSIGN(writer, make_decision_writer(s.out, *model));
  } else if (!context.json) {
    writer = make_json_line_writer(
        [&](std::string_view text) { return write_stdout(context, text); }, *model);
  }
  std::optional<TraceWriter> trace;
  if (!s.trace.empty()) {
    PACO_ASSIGN(trace, TraceWriter::create(s.trace, method->stats()));
  }
  PACO_ASSIGN(std::shared_ptr<EmbeddingSource> source, open_embeddings(s.input));
  PACO_ASSIGN(const StreamOutcome outcome,
              run_stream(source, *method, s.stream, writer.get(), trace ? &*trace : nullptr,
                         *context.progress, context.clock, context.stop));
  const auto memory = method->published();
  if (outcome.interrupted && !s.stream.state.empty()) {
    print_note(fmt::format("interrupted after {} samples; go on with --resume {} --skip seen",
                           memory->samples, s.stream.state));
  }
  const std::string text = stream_summary_text(*method, *memory, outcome);
  if (s.out.empty() && !context.json) {  // decisions have stdout
    print_note(text);
    return {};
  }
  return print_result(context, stream_summary_json(*method, *memory, outcome), text);
}

}  // namespace

void add_discover(CLI::App& app, Context& context) {
  CLI::App& verb =
      *app.add_subcommand("discover",
                          "Decide on every sample of a stream, at once and for good.\nWithout "
                          "--out, decisions go to standard output as JSON "
                          "lines.");
  auto s = std::make_shared<Settings>();
  verb.add_option("--model", s->model,
                  "model file of 'paco calibrate'; needed unless --support is given");
  const SupportFileOptions support = add_support_files(verb, s->support);
  support.embeddings->description(
      "in place of a model: labelled embeddings, to calibrate on with the defaults");
  support.embeddings->needs(support.labels);
  verb.add_option("--input", s->input, "embeddings in stream order; - reads standard input")
      ->required();
  verb.add_option("--method", s->method, fmt::format("one of {}", fmt::join(method_names(), ", ")));
  verb.add_option("--out", s->out, "decisions to write: .csv, .jsonl or .npy (ids alone)");
  verb.add_option("--trace", s->trace, "csv with evidence, boundary and memory at every sample");
  verb.add_option("--block", s->stream.block, "samples decided at once; speed only")
      ->default_str("256, or 1 from standard input");
  verb.add_option("--threads", s->threads, "speed only; no decision depends on it");
  verb.add_option("--save-state", s->stream.state,
                  "save the state at the end and when interrupted");
  verb.add_option("--save-every", s->stream.save_every, "and after every so many samples; 0: not");
  verb.add_option("--resume", s->resume, "go on from a saved state");
  verb.add_option("--skip", s->skip,
                  "rows of the input to pass over; 'seen': those the state has decided on");
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
