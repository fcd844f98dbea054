// Reading and joining the sources of a report.
#include "report/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/try.hpp"
#include "data/npy.hpp"
#include "evaluate/companions.hpp"
#include "evaluate/truth.hpp"
#include "images/images.hpp"
#include "registry/decision_reader.hpp"
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
std::size_t known_in(std::span<const ReportSample> samples) {
  CategoryId above_known = 0;
  CategoryId first_category = std::numeric_limits<CategoryId>::max();
  for (const ReportSample& sample : samples) {
    const Decision& decision = sample.decision;
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
                                  std::span<const ReportSample> samples) {
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
  return files.known ? static_cast<std::size_t>(*files.known) : known_in(samples);
}

// How many are before it; all where it is not there.
std::size_t place_of(std::string_view name, std::span<const DecisionField> fields) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const DecisionField& field) { return field.name == name; });
  return static_cast<std::size_t>(found - fields.begin());
}

// Does a file of decisions have just the columns that this method writes?
bool fits(const MethodInfo& method, std::span<const DecisionField> fields) {
  std::size_t written = 0;
  for (const EvidenceField& field : method.evidence) {
    if (field.after) continue;
    ++written;
    if (place_of(field.name, fields) == fields.size()) return false;
  }
  return written == fields.size();
}

// The methods that may have decided this, most likely first. With one, or one that is named or that
// the model was made for, explanations are its own.
Result<std::vector<const MethodInfo*>> methods_of(const ReportFiles& files, const Model* model,
                                                  std::span<const DecisionField> fields) {
  const std::string wanted = !files.method.empty() ? files.method : model ? model->method : "";
  std::vector<const MethodInfo*> fitting;
  if (!wanted.empty()) {
    PACO_ASSIGN(const MethodInfo* named, method_info(wanted));
    if (fits(*named, fields)) return std::vector<const MethodInfo*>{named};
    if (!files.method.empty()) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: its columns are not those of method '{}'", files.decisions,
                               files.method),
                   "name the method that decided, or leave it out"};
    }
  }
  for (const Registration& method : registered_methods()) {
    if (fits(method.info, fields)) fitting.push_back(&method.info);
  }
  return fitting;
}

// Reads the decisions into samples, in the order of their arrival, with their evidence at the
// places of the method's fields where that is known. Row by row: of millions nothing is to be there
// twice.
Result<void> read_samples(DecisionReader& reader, const std::string& path, const MethodInfo* method,
                          ReportInput& input) {
  const std::vector<DecisionField>& fields = reader.fields();
  std::vector<std::size_t> places;  // in the file, by the place in the report
  if (method != nullptr) {
    for (const EvidenceField& field : method->evidence) {
      input.fields.push_back({std::string(field.name),
                              std::string(field.unit),
                              std::string(field.meaning),
                              {field.choices.begin(), field.choices.end()}});
      places.push_back(place_of(field.name, fields));
    }
  } else {
    for (const DecisionField& field : fields)
      input.fields.push_back({field.name, "", "", field.choices});
    places.resize(fields.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
  }
  // A vector that grows holds everything twice for a moment; the first rows tell how many will
  // come.
  constexpr std::size_t kEnoughToTell = 1000;
  const std::uint64_t bytes = reader.left().value_or(0);
  DecisionRow row;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    if (input.samples.size() == kEnoughToTell && bytes > 0) {
      const std::uint64_t read = bytes - reader.left().value_or(0);
      input.samples.reserve(static_cast<std::size_t>(
          1.05 * kEnoughToTell * static_cast<double>(bytes) / static_cast<double>(read)));
    }
    ReportSample& sample = input.samples.emplace_back();
    sample.decision = row.decision;
    for (std::size_t i = 0; i < places.size(); ++i) {
      sample.decision.evidence[i] =
          places[i] < fields.size() ? row.decision.evidence[places[i]] : kNotComputed;
    }
    sample.id = row.sample;
    sample.name = row.name;
  }
  const auto number = [](const ReportSample& sample) { return sample.decision.sequence; };
  if (!std::ranges::is_sorted(input.samples, {}, number))
    std::ranges::stable_sort(input.samples, {}, number);
  for (std::size_t i = 1; i < input.samples.size(); ++i)
    PACO_TRY(check_follows(number(input.samples[i - 1]), number(input.samples[i]), path));
  return {};
}

// Evidence and state after each sample, from the trace of the same run.
Result<void> add_trace(const ReportFiles& files, ReportInput& input) {
  PACO_ASSIGN(TraceReader trace, TraceReader::open(files.trace));
  const char* hint = "give the trace that was written together with these decisions";
  std::vector<std::size_t> places;  // of the trace's fields among ours
  for (const DecisionField& field : trace.fields()) {
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
  TraceRow row;
  const Decision& traced = row.decision;
  std::size_t rows = 0;
  std::optional<Error> other_sample;  // a trace of another length is the plainer fault
  for (;; ++rows) {
    PACO_ASSIGN(const bool more, trace.next(row));
    if (!more) break;
    if (rows >= input.samples.size() || other_sample) continue;
    ReportSample& sample = input.samples[rows];
    Decision& decision = sample.decision;
    if (traced.sequence != decision.sequence || traced.category != decision.category) {
      other_sample =
          Error{ErrorCode::mismatch,
                fmt::format("{}: row {} is sample {} in category {}, but {} has sample {} in {}",
                            files.trace, rows + 1, traced.sequence, traced.category,
                            files.decisions, decision.sequence, decision.category),
                hint};
      continue;
    }
    for (std::size_t f = 0; f < places.size(); ++f)
      decision.evidence[places[f]] = traced.evidence[f];
    decision.categories_after = traced.categories_after;
    sample.microseconds = row.microseconds;
  }
  if (rows != input.samples.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} samples, {} has {}", files.trace, rows, files.decisions,
                             input.samples.size()),
                 hint};
  }
  if (other_sample) return *other_sample;
  return {};
}

// Names of classes and categories by id. Ids follow the order of birth, so there are not many more
// than decisions.
std::vector<std::string> names_by_id(const ReportInput& input) {
  std::vector<std::string> names;
  for (const ReportSample& sample : input.samples) {
    const auto id = static_cast<std::size_t>(sample.decision.category);
    if (id >= input.known_classes + input.samples.size()) continue;
    if (id >= names.size()) names.resize(id + 1);
    if (names[id] != sample.name) names[id] = sample.name;
  }
  return names;
}

Result<Truth> truth_of(const ReportFiles& files, const Model* model, ReportInput& input) {
  const auto known = model != nullptr ? model->class_names : std::vector<std::string>{};
  PACO_ASSIGN(const auto class_names, names_of_classes(known, files.classes));
  std::vector<std::uint64_t> sequences;
  std::vector<std::string> ids;  // lent by the samples
  for (ReportSample& sample : input.samples) {
    sequences.push_back(sample.decision.sequence);
    ids.push_back(std::move(sample.id));
  }
  Result<Truth> truth = read_truth(files.truth, {sequences, ids, class_names});
  for (std::size_t i = 0; i < ids.size(); ++i) input.samples[i].id = std::move(ids[i]);
  return truth;
}

Result<void> add_truth(const ReportFiles& files, GatheredReport& report,
                       const std::stop_token& stop) {
  ReportInput& input = report.input;
  PACO_ASSIGN(Truth truth, truth_of(files, input.model, input));
  std::vector<CategoryId> closed;
  if (!files.closed.empty()) {
    PACO_ASSIGN(StreamOutline other, read_outline(files.closed));
    const std::uint64_t first = input.samples.empty() ? 0 : input.samples.front().decision.sequence;
    PACO_TRY(check_same_stream({first, input.samples.size()}, files.decisions, extent_of(other),
                               files.closed));
    closed = std::move(other.categories);
  }
  std::vector<CategoryId> predicted;
  for (const ReportSample& sample : input.samples) predicted.push_back(sample.decision.category);
  const std::vector<std::string> names = names_by_id(input);
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

// Whether the decisions fit what is said to be known.
Result<void> check_samples(const ReportFiles& files, const ReportInput& input) {
  if (input.model == nullptr && !files.known) return {};
  KnownClaim claim{input.known_classes, {}, "--known"};
  if (input.model != nullptr) {
    claim.names = input.model->class_names;
    claim.source = files.model;
  }
  KnownCheck check(std::move(claim), files.decisions);
  for (const ReportSample& sample : input.samples)
    PACO_TRY(check.see(sample.decision, sample.name));
  return check.conclude();
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
  PACO_ASSIGN(DecisionReader reader, DecisionReader::open(files.decisions));
  if (!reader.detailed()) {
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
  PACO_ASSIGN(const auto methods, methods_of(files, input.model, reader.fields()));
  PACO_TRY(
      read_samples(reader, files.decisions, methods.empty() ? nullptr : methods.front(), input));
  PACO_ASSIGN(input.known_classes, known_classes(files, input.model, input.samples));
  PACO_TRY(check_samples(files, input));
  input.title = files.title.empty() ? file_name(files.decisions) : files.title;
  if (!files.truth.empty()) PACO_TRY(add_truth(files, report, stop));
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
