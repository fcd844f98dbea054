// Reading and joining the sources of a report.
#include "report/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/try.hpp"
#include "data/npy.hpp"
#include "evaluate/companions.hpp"
#include "evaluate/truth.hpp"
#include "images/images.hpp"
#include "registry/decision_file.hpp"
#include "registry/registry.hpp"
#include "registry/trace_file.hpp"

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

// Does a file of decisions have just the columns that this method writes?
bool fits(const MethodInfo& method, const DecisionTable& table) {
  std::size_t fields = 0;
  for (const EvidenceField& field : method.evidence) {
    if (field.after) continue;
    ++fields;
    if (table.field(field.name) < 0) return false;
  }
  return fields == table.fields.size();
}

// The methods that may have decided this, most likely first. With one, or one that is named or that
// the model was made for, explanations are its own.
Result<std::vector<const MethodInfo*>> methods_of(const ReportFiles& files, const Model* model,
                                                  const DecisionTable& table) {
  const std::string wanted = !files.method.empty() ? files.method : model ? model->method : "";
  std::vector<const MethodInfo*> fitting;
  if (!wanted.empty()) {
    PACO_ASSIGN(const MethodInfo* named, method_info(wanted));
    if (fits(*named, table)) return std::vector<const MethodInfo*>{named};
    if (!files.method.empty()) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: its columns are not those of method '{}'", files.decisions,
                               files.method),
                   "name the method that decided, or leave it out"};
    }
  }
  for (const Registration& method : registered_methods()) {
    if (fits(method.info, table)) fitting.push_back(&method.info);
  }
  return fitting;
}

// Uses the table up: with millions of decisions nothing is to be there twice for longer than that.
void set_samples(DecisionTable table, const MethodInfo* method, ReportInput& input) {
  if (method != nullptr) {
    for (const EvidenceField& field : method->evidence) {
      input.fields.push_back({std::string(field.name),
                              std::string(field.unit),
                              std::string(field.meaning),
                              {field.choices.begin(), field.choices.end()}});
    }
  } else {
    for (const DecisionTable::Field& field : table.fields)
      input.fields.push_back({field.name, "", "", field.choices});
  }
  input.samples.resize(table.decisions.size());
  for (std::size_t i = 0; i < input.samples.size(); ++i) {
    input.samples[i].decision = method ? table.as_of(*method, i) : table.decisions[i];
    input.samples[i].id = std::move(table.samples[i]);
    input.samples[i].name = std::move(table.names[i]);
  }
}

// Evidence and state after each sample, from the trace of the same run.
Result<void> add_trace(const ReportFiles& files, ReportInput& input) {
  PACO_ASSIGN(const Trace trace, read_trace(files.trace));
  const char* hint = "give the trace that was written together with these decisions";
  if (trace.decisions.size() != input.samples.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} samples, {} has {}", files.trace, trace.decisions.size(),
                             files.decisions, input.samples.size()),
                 hint};
  }
  std::vector<std::size_t> places;  // of the trace's fields among ours
  for (const DecisionTable::Field& field : trace.fields) {
    const auto found = std::find_if(input.fields.begin(), input.fields.end(),
                                    [&](const ReportField& f) { return f.name == field.name; });
    places.push_back(static_cast<std::size_t>(found - input.fields.begin()));
    if (found == input.fields.end()) input.fields.push_back({field.name, "", "", field.choices});
  }
  if (input.fields.size() > kMaxEvidence) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} and {} are of different methods", files.trace, files.decisions),
                 hint};
  }
  for (std::size_t i = 0; i < input.samples.size(); ++i) {
    Decision& decision = input.samples[i].decision;
    const Decision& traced = trace.decisions[i];
    if (traced.sequence != decision.sequence || traced.category != decision.category) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: row {} is sample {} in category {}, but {} has sample {} in {}",
                               files.trace, i + 1, traced.sequence, traced.category,
                               files.decisions, decision.sequence, decision.category),
                   hint};
    }
    for (std::size_t f = 0; f < places.size(); ++f)
      decision.evidence[places[f]] = traced.evidence[f];
    decision.categories_after = traced.categories_after;
    input.samples[i].microseconds = trace.microseconds[i];
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
std::vector<std::string> names_by_id(const DecisionTable& table, std::size_t known_classes) {
  std::vector<std::string> names(known_classes + table.decisions.size());
  for (std::size_t i = 0; i < table.decisions.size(); ++i) {
    const auto id = static_cast<std::size_t>(table.decisions[i].category);
    if (id < names.size()) names[id] = table.names[i];
  }
  return names;
}

Result<void> add_truth(const ReportFiles& files, const DecisionTable& table, GatheredReport& report,
                       const std::stop_token& stop) {
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
    PACO_ASSIGN(const DecisionTable other, read_stream_decisions(files.closed));
    PACO_TRY(check_same_stream(table, files.decisions, other, files.closed));
    closed = categories_in(other);
  }
  const std::vector<CategoryId> predicted = categories_in(table);
  const std::vector<std::string> names = names_by_id(table, input.known_classes);
  EvaluationInput judged;
  judged.predicted = predicted;
  judged.truth = truth.labels;
  judged.known_classes = static_cast<std::int64_t>(input.known_classes);
  judged.closed = closed;
  judged.class_names = truth.class_names;
  judged.cluster_names = names;
  PACO_ASSIGN(Evaluation evaluation, evaluate(judged, files.evaluation, stop));
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

Result<GatheredReport> gather_report(const ReportFiles& files, std::stop_token stop) {
  GatheredReport report;
  ReportInput& input = report.input;
  PACO_ASSIGN(DecisionTable table, read_stream_decisions(files.decisions));
  if (!table.detailed) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("{} holds category ids alone, not how they were decided", files.decisions),
        "write the decisions as csv or JSON lines: paco discover --out decisions.csv"};
  }
  if (!files.model.empty()) {
    PACO_ASSIGN(Model model, load_model(files.model));
    report.model = std::make_shared<const Model>(std::move(model));
    input.model = report.model.get();
  }
  PACO_ASSIGN(input.known_classes, known_classes(files, input.model, table));
  if (report.model || files.known) {
    PACO_TRY(check_known(table, files.decisions,
                         {input.known_classes,
                          report.model ? std::span<const std::string>(report.model->class_names)
                                       : std::span<const std::string>(),
                          report.model ? files.model : "--known"}));
  }
  input.title = files.title.empty() ? file_name(files.decisions) : files.title;
  PACO_ASSIGN(const auto methods, methods_of(files, input.model, table));
  if (!files.truth.empty()) PACO_TRY(add_truth(files, table, report, stop));
  set_samples(std::move(table), methods.empty() ? nullptr : methods.front(), input);
  if (report.model && methods.size() == 1) {
    // A model without the section of that method has no explanations to give.
    auto method = make_method(methods.front()->name, report.model);
    if (method.ok()) report.method = std::move(method).value();
    input.method = report.method.get();
  }
  input.has_trace = !files.trace.empty();
  if (input.has_trace) PACO_TRY(add_trace(files, input));
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
