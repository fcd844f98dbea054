// `paco evaluate`: the quality of the decisions of a stream for which the truth about all or some
// samples is known. Reads files and prints; src/evaluate computes the numbers.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/signals.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "evaluate/evaluation.hpp"
#include "evaluate/stream_outline.hpp"
#include "io/labels.hpp"
#include "io/truth.hpp"
#include "methods/registry.hpp"
#include "paco/model.hpp"
#include "report/summary.hpp"
#include "shared/run_place.hpp"

namespace paco {
namespace {

struct EvaluateArguments {
  std::string decisions;
  std::string truth;
  std::int64_t known = -1;  // below 0: not given
  std::string model;
  std::string classes;
  std::string closed;
  evaluate::EvaluationOptions options;
  std::string csv;
  std::string latex;
  std::string markdown;
  std::string record, label, data;
};

// Number of known classes and, if given, names by class id, the known ones first.
struct KnownClasses {
  std::int64_t count = 0;
  std::vector<std::string> names;
  std::vector<std::string> model_names;  // as in the decisions; empty without a model
  std::string source;                    // where this comes from: an option or a file
  bool starts_empty = false;             // the model's method starts without them
};

Result<KnownClasses> known_classes(const EvaluateArguments& settings) {
  KnownClasses known;
  if (!settings.model.empty()) {
    PACO_ASSIGN(const Model model, load_model(settings.model));
    known.count = static_cast<std::int64_t>(model.known_classes());
    if (settings.known >= 0 && settings.known != known.count)
      return Error{ErrorCode::mismatch,
                   fmt::format("--known is {}, but {} has {} classes", settings.known,
                               settings.model, known.count),
                   "leave --known out: it is taken from there"};
    PACO_ASSIGN(known.names, io::names_of_classes(model.class_names, settings.classes));
    known.model_names = model.class_names;
    known.source = settings.model;
    PACO_ASSIGN(const methods::Registration* method, methods::find_method(model.method));
    known.starts_empty = method->starts_empty;
    return known;
  }
  PACO_ASSIGN(known.names, io::names_of_classes({}, settings.classes));
  const auto named = static_cast<std::int64_t>(known.names.size());
  if (settings.known < 0 && settings.classes.empty())
    return Error{ErrorCode::bad_argument, "how many classes are known is not given",
                 "give --known N, or --model model.paco, or --classes names.txt"};
  if (settings.known > named && !settings.classes.empty())
    return Error{ErrorCode::mismatch,
                 fmt::format("--known is {}, but {} has {} classes", settings.known,
                             settings.classes, named),
                 "leave --known out: it is taken from there"};
  known.count = settings.known >= 0 ? settings.known : named;
  known.source = settings.known >= 0 ? "--known" : settings.classes;
  return known;
}

Result<std::vector<CategoryId>> closed_predictions(const EvaluateArguments& settings,
                                                   const evaluate::StreamOutline& decisions) {
  if (settings.closed.empty()) return std::vector<CategoryId>{};
  PACO_ASSIGN(evaluate::StreamOutline closed, evaluate::read_outline(settings.closed));
  PACO_TRY(evaluate::check_same_stream(evaluate::extent_of(decisions), settings.decisions,
                                       evaluate::extent_of(closed), settings.closed));
  return std::move(closed.categories);
}

// A csv file can hold only one table: the scores go to `path`, the other tables into files beside
// it.
std::vector<std::string> csv_paths(const std::string& path,
                                   const std::vector<report::Table>& tables) {
  std::vector<std::string> paths = {path};
  const std::size_t dot = path.ends_with(".csv") ? path.size() - 4 : path.size();
  for (std::size_t t = 1; t < tables.size(); ++t) {
    paths.push_back(path.substr(0, dot) + "-" + tables[t].key + path.substr(dot));
  }
  return paths;
}

Result<void> write_csv_tables(const std::string& path, const std::vector<report::Table>& tables) {
  if (path.empty()) return {};
  const std::vector<std::string> paths = csv_paths(path, tables);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    PACO_TRY(core::write_file(paths[t], report::table_csv(tables[t])));
  }
  return {};
}

// Checks the paths of all outputs; every evaluation has the same tables.
Result<void> check_files(const EvaluateArguments& s) {
  std::vector<NamedFile> outputs = {
      {"--latex", s.latex}, {"--markdown", s.markdown}, {"--record", s.record}};
  if (!s.csv.empty()) {
    for (const std::string& path : csv_paths(s.csv, report::evaluation_tables({}))) {
      outputs.push_back({"--csv", path});
    }
  }
  return check_outputs({{"--decisions", s.decisions},
                        {"--truth", s.truth},
                        {"--model", s.model},
                        {"--classes", s.classes},
                        {"--closed", s.closed}},
                       outputs);
}

Result<void> write_document(const std::string& path, const std::vector<report::Table>& tables,
                            report::TableFormat format) {
  if (path.empty()) return {};
  return core::write_file(path, report::write_tables(tables, format));
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// The record that `paco leaderboard` merges. The split's digest is stored beside the truth if 'paco
// split' wrote both.
Result<void> write_record(const EvaluateArguments& s, const evaluate::Evaluation& evaluation) {
  if (s.record.empty()) return {};
  study::EvaluationRecord about{s.label.empty() ? stem(s.decisions) : s.label,
                                s.data.empty() ? stem(s.truth) : s.data, ""};
  const std::string digest = (std::filesystem::path(s.truth).parent_path() / "digest.txt").string();
  if (core::path_kind(digest) == core::PathKind::file) {
    PACO_ASSIGN(const auto bytes, core::read_file(digest, 4096));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    about.split_digest = text.substr(0, text.find_first_of("\r\n"));
  }
  const Json record = study::evaluation_record(evaluation, about, this_place());
  return core::write_file(s.record, std::string_view(record.dump(1) + "\n"));
}

Result<void> run(Context& context, const EvaluateArguments& settings) {
  PACO_TRY(check_files(settings));
  std::optional<NothingToLose> reading(context.json);
  PACO_ASSIGN(const KnownClasses known, known_classes(settings));
  const evaluate::KnownClaim claim{static_cast<std::size_t>(known.count), known.model_names,
                                   known.source};
  PACO_ASSIGN(const evaluate::StreamOutline decisions,
              evaluate::read_outline(settings.decisions, claim));
  PACO_ASSIGN(const io::Truth truth,
              io::read_truth(settings.truth, {decisions.first, decisions.categories.size(),
                                              decisions.samples, known.names}));
  PACO_ASSIGN(const std::vector<CategoryId> closed, closed_predictions(settings, decisions));
  reading.reset();

  evaluate::EvaluationInput input;
  input.predicted = decisions.categories;
  input.truth = truth.labels;
  input.known_classes = known.count;
  input.starts_empty = known.starts_empty;
  input.closed = closed;
  input.class_names = truth.class_names;
  input.cluster_names = decisions.names;
  PACO_ASSIGN(const evaluate::Evaluation evaluation,
              evaluate::evaluate(input, settings.options, context.stop));

  const std::vector<report::Table> tables = report::evaluation_tables(evaluation);
  PACO_TRY(write_csv_tables(settings.csv, tables));
  PACO_TRY(write_document(settings.latex, tables, report::TableFormat::latex));
  PACO_TRY(write_document(settings.markdown, tables, report::TableFormat::markdown));
  PACO_TRY(write_record(settings, evaluation));
  return print_result(context, report::evaluation_json(evaluation),
                      report::evaluation_text(evaluation));
}

}  // namespace

void add_evaluate(Options& verb, Context& context) {
  verb.about(
      "How good decisions are, where the truth is known for all samples or some\n"
      "Old are samples of known classes, new all others. Strict matches clusters to classes once,\n"
      "greedy matches them for old and new apart; 'without matching' asks for the very class.");
  auto settings = std::make_shared<EvaluateArguments>();
  verb.add_text("--decisions", settings->decisions,
                "what 'paco discover' wrote (csv, jsonl), or category ids (npy)")
      .required()
      .type("FILE");
  verb.add_text("--truth", settings->truth,
                "true classes: one per decision, -1 where unknown (npy, csv, text, jsonl), or a "
                "csv with the columns sequence,label or sample,label for some of them")
      .required()
      .type("FILE");
  add_count(verb, "--known", settings->known, 0, kMostKnown,
            "how many classes are known: labels below it are old; may be left out with "
            "--model or --classes")
      .shown_default("");
  verb.add_text("--model", settings->model,
                "model.paco of the run, for the class names and for what its method holds from the "
                "start")
      .type("FILE");
  verb.add_text("--classes", settings->classes,
                "class names, one a line, the known ones first, then novel ones if they have "
                "names; needed where truth holds names and no model is given")
      .type("FILE");
  verb.add_text("--closed", settings->closed,
                "decisions of 'paco discover --method closed' over the same stream, for the "
                "closed-set row")
      .type("FILE");
  add_choice<evaluate::Keep>(
      verb, "--keep", settings->options.keep,
      {{"top", evaluate::Keep::top}, {"all", evaluate::Keep::all}},
      "clusters that may be matched: 'top', as many of the largest as there are true "
      "classes, or 'all'");
  add_choice<evaluate::MatchTable>(
      verb, "--match", settings->options.match,
      {{"rectangular", evaluate::MatchTable::rectangular},
       {"square", evaluate::MatchTable::square}},
      "the table that is matched: clusters by classes, or a square one as in released code of "
      "the field, where ties between old and new fall differently");
  add_count(verb, "--bootstrap", settings->options.resamples, 0, 1'000'000,
            "resamples behind each 95 % interval; 0 leaves the intervals out");
  add_seed(verb, "--seed", settings->options.seed, "of the bootstrap");
  add_count(verb, "--confused", settings->options.confused, 0, kNoLimit,
            "how many confused pairs to list");
  verb.add_text("--csv", settings->csv,
                "tables as csv: the scores to this file, the others beside it, e.g. "
                "NAME-per_class.csv")
      .type("FILE");
  verb.add_text("--latex", settings->latex, "all tables for LaTeX").type("FILE");
  verb.add_text("--markdown", settings->markdown, "all tables as Markdown").type("FILE");
  verb.add_text("--record", settings->record, "a record of this run for 'paco leaderboard'")
      .type("FILE");
  verb.add_text("--label", settings->label, "name of the method in the record")
      .shown_default("that of the decisions file");
  verb.add_text("--data-name", settings->data, "name of the data set in the record")
      .shown_default("that of the truth file");
  finish_verb(verb, context, [&context, settings] { return run(context, *settings); });
}

}  // namespace paco
