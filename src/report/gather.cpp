// Reading and joining the sources of a report.
#include "report/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/try.hpp"
#include "data/images.hpp"
#include "data/npy.hpp"
#include "discover/decision_file.hpp"
#include "discover/trace_file.hpp"
#include "evaluate/truth.hpp"

namespace paco {

GatheredReport::GatheredReport() = default;
GatheredReport::GatheredReport(GatheredReport&&) noexcept = default;
GatheredReport::~GatheredReport() = default;

namespace {

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Known classes have the ids below every category's.
std::size_t known_in(const DecisionTable& table) {
  CategoryId above_known = 0;
  CategoryId first_category = std::numeric_limits<CategoryId>::max();
  for (const Decision& decision : table.decisions) {
    if (decision.verdict == Verdict::known) {
      above_known = std::max(above_known, decision.category + 1);
    } else {
      first_category = std::min(first_category, decision.category);
    }
  }
  const bool any = first_category != std::numeric_limits<CategoryId>::max();
  return static_cast<std::size_t>(any ? first_category : above_known);
}

Result<std::size_t> known_classes(const ReportFiles& files, const Model* model,
                                  const DecisionTable& table) {
  if (model != nullptr) {
    const auto in_model = static_cast<std::int64_t>(model->known_classes());
    if (files.known && *files.known != in_model) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{} known classes were given, {} has {}", *files.known, files.model,
                               in_model),
                   "leave the number out: the model knows it"};
    }
    return model->known_classes();
  }
  return files.known ? static_cast<std::size_t>(*files.known) : known_in(table);
}

// Evidence and state after each sample, from the trace of the same run.
Result<void> add_trace(const ReportFiles& files, std::vector<ReportSample>& samples) {
  PACO_ASSIGN(const std::vector<TraceRow> rows, read_trace(files.trace));
  const char* hint = "give the trace that was written together with these decisions";
  if (rows.size() != samples.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} samples, {} has {}", files.trace, rows.size(),
                             files.decisions, samples.size()),
                 hint};
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Decision& decision = samples[i].decision;
    const Decision& traced = rows[i].decision;
    if (traced.sequence != decision.sequence || traced.category != decision.category) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: row {} is sample {} in category {}, but {} has sample {} in {}",
                               files.trace, i + 1, traced.sequence, traced.category,
                               files.decisions, decision.sequence, decision.category),
                   hint};
    }
    decision.top_cosine = traced.top_cosine;
    decision.margin = traced.margin;
    decision.birth_score = traced.birth_score;
    decision.attach_score = traced.attach_score;
    decision.tau_birth_after = traced.tau_birth_after;
    decision.eta_after = traced.eta_after;
    decision.categories_after = traced.categories_after;
    samples[i].microseconds = rows[i].microseconds;
  }
  return {};
}

std::vector<CategoryId> categories_in(const DecisionTable& table) {
  std::vector<CategoryId> ids(table.decisions.size());
  std::transform(table.decisions.begin(), table.decisions.end(), ids.begin(),
                 [](const Decision& decision) { return decision.category; });
  return ids;
}

// Names of classes and categories by id. Ids follow the order of birth, so there are not many more
// than decisions.
std::vector<std::string> names_by_id(const ReportInput& input) {
  std::vector<std::string> names(input.known_classes + input.samples.size());
  for (const ReportSample& sample : input.samples) {
    const auto id = static_cast<std::size_t>(sample.decision.category);
    if (id < names.size()) names[id] = sample.name;
  }
  return names;
}

Result<void> add_truth(const ReportFiles& files, const DecisionTable& table,
                       GatheredReport& report) {
  ReportInput& input = report.input;
  std::vector<std::uint64_t> sequences;
  for (const Decision& decision : table.decisions) sequences.push_back(decision.sequence);
  DecidedStream stream;
  stream.sequences = sequences;
  stream.samples = table.samples;
  const auto known = report.model ? report.model->class_names : std::vector<std::string>{};
  PACO_ASSIGN(const auto class_names, names_of_classes(known, files.classes));
  stream.class_names = class_names;
  PACO_ASSIGN(Truth truth, read_truth(files.truth, stream));

  std::vector<CategoryId> closed;
  if (!files.closed.empty()) {
    PACO_ASSIGN(const DecisionTable other, read_decisions(files.closed));
    closed = categories_in(other);
  }
  const std::vector<CategoryId> predicted = categories_in(table);
  const std::vector<std::string> names = names_by_id(input);
  EvaluationInput judged;
  judged.predicted = predicted;
  judged.truth = truth.labels;
  judged.known_classes = static_cast<std::int64_t>(input.known_classes);
  judged.closed = closed;
  judged.class_names = truth.class_names;
  judged.cluster_names = names;
  PACO_ASSIGN(Evaluation evaluation, evaluate(judged, files.evaluation));
  report.evaluation = std::make_unique<Evaluation>(std::move(evaluation));
  input.evaluation = report.evaluation.get();
  input.truth = std::move(truth.labels);
  input.truth_names = std::move(truth.class_names);
  return {};
}

Result<void> add_images(const ReportFiles& files, GatheredReport& report) {
  PACO_ASSIGN(report.images, open_images(files.images));
  report.input.images = report.images.get();
  if (files.images_index.empty()) return {};
  PACO_ASSIGN(NpyArray<std::int64_t> index, read_npy<std::int64_t>(files.images_index));
  if (index.data.size() != report.input.samples.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} numbers, {} has {} samples", files.images_index,
                             index.data.size(), files.decisions, report.input.samples.size()),
                 "the index needs one picture number per decision, in stream order"};
  }
  report.input.image_index = std::move(index.data);
  return {};
}

}  // namespace

Result<GatheredReport> gather_report(const ReportFiles& files) {
  GatheredReport report;
  ReportInput& input = report.input;
  PACO_ASSIGN(const DecisionTable table, read_decisions(files.decisions));
  if (!table.detailed) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("{} holds category ids alone, not how they were decided", files.decisions),
        "write the decisions as csv or JSON lines: paco discover --out decisions.csv"};
  }
  if (!files.model.empty()) {
    PACO_ASSIGN(Model model, load_model(files.model));
    report.model = std::make_unique<Model>(std::move(model));
    input.model = report.model.get();
  }
  PACO_ASSIGN(input.known_classes, known_classes(files, input.model, table));
  input.title = files.title.empty() ? file_name(files.decisions) : files.title;
  input.samples.resize(table.decisions.size());
  for (std::size_t i = 0; i < input.samples.size(); ++i) {
    input.samples[i].decision = table.decisions[i];
    input.samples[i].id = table.samples[i];
    input.samples[i].name = table.names[i];
  }
  input.has_trace = !files.trace.empty();
  if (input.has_trace) PACO_TRY(add_trace(files, input.samples));
  if (!files.truth.empty()) PACO_TRY(add_truth(files, table, report));
  if (!files.images.empty()) PACO_TRY(add_images(files, report));

  input.sources.emplace_back("decisions", file_name(files.decisions));
  const std::pair<const char*, std::string> others[] = {{"trace", file_name(files.trace)},
                                                        {"model", file_name(files.model)},
                                                        {"truth", file_name(files.truth)},
                                                        {"pictures", file_name(files.images)}};
  for (const auto& [what, file] : others) {
    if (!file.empty()) input.sources.emplace_back(what, file);
  }
  return report;
}

}  // namespace paco
