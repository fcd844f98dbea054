// Reading and joining the sources of a report.
#include "report/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "evaluate/stream_outline.hpp"
#include "io/decision_reader.hpp"
#include "io/npy.hpp"
#include "io/truth.hpp"
#include "methods/registry.hpp"
#include "report/sample_files.hpp"
#include "report/sections.hpp"

namespace paco::report {

GatheredReport::GatheredReport() = default;
GatheredReport::GatheredReport(GatheredReport&&) noexcept = default;
GatheredReport::~GatheredReport() = default;

namespace {

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The number from the model or the options, or nothing if it must be derived from the decisions.
Result<std::optional<std::size_t>> known_classes(const ReportFiles& files, const Model* model) {
  if (model != nullptr) {
    const auto in_model = static_cast<std::int64_t>(model->known_classes());
    if (files.known && *files.known != in_model) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{} known classes were given, {} has {}", *files.known, files.model,
                               in_model),
                   "leave the number out: the model knows it"};
    }
    return std::optional(model->known_classes());
  }
  if (!files.known) return std::optional<std::size_t>();
  return std::optional(static_cast<std::size_t>(*files.known));
}

// True if a file of decisions has exactly the columns that this method writes.
bool fits(const MethodInfo& method, std::span<const io::DecisionField> fields) {
  std::size_t written = 0;
  for (const EvidenceField& field : method.evidence) {
    if (field.after) continue;
    ++written;
    const bool has = std::any_of(fields.begin(), fields.end(),
                                 [&](const io::DecisionField& f) { return f.name == field.name; });
    if (!has) return false;
  }
  return written == fields.size();
}

// The methods that can have made these decisions, most likely first. If there is only one, or if
// one is given by name or by the model, explanations come from that method.
Result<std::vector<const MethodInfo*>> methods_of(const ReportFiles& files, const Model* model,
                                                  std::span<const io::DecisionField> fields) {
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
  for (const methods::Registration& method : methods::registered_methods()) {
    if (fits(method.info, fields)) fitting.push_back(&method.info);
  }
  return fitting;
}

// Receives the samples in the order of their arrival.
class Passage {
 public:
  Passage(const std::vector<ReportField>& fields, std::span<const std::string> listed,
          std::optional<evaluate::KnownClaim> claim, const std::string& path)
      : totals(fields, listed) {
    if (claim) check_.emplace(std::move(*claim), path);
  }

  void see(const ReportSample& sample) {
    const std::size_t seen = totals.size();
    const bool named = totals.named;
    totals.see(sample);
    if (totals.named && !named) {
      for (std::size_t i = 0; i < seen; ++i) ids.push_back(std::to_string(totals.sequence(i)));
    }
    if (totals.named) ids.push_back(sample.sample);
    if (!check_ || contradiction_) return;
    if (const auto seen_well = check_->see(sample, sample.name); !seen_well.ok())
      contradiction_ = seen_well.error();
  }
  // Fails if the decisions contradict the number of known classes.
  Result<void> conclude() const {
    if (contradiction_) return *contradiction_;
    return check_ ? check_->conclude() : Result<void>();
  }

  StreamTotals totals;
  std::vector<std::string> ids;  // of the samples; empty if each is its arrival number

 private:
  std::optional<evaluate::KnownCheck> check_;
  std::optional<Error>
      contradiction_;  // one that was met on the way; a bad row is the plainer fault
};

// Reads files whose rows are in order; only the passage keeps data. Returns false if the rows are
// not in order; then the passage is not usable.
Result<bool> pass_in_order(SampleReader& reader, Passage& passage) {
  // A vector that grows needs twice its memory for a moment. The first rows are enough to estimate
  // the total number, so that memory can be reserved.
  constexpr std::size_t kEnoughToTell = 1000;
  const std::uint64_t bytes = reader.left().value_or(0);
  ReportSample sample;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(sample));
    if (!more) break;
    const std::size_t seen = passage.totals.size();
    if (seen > 0 && sample.sequence != passage.totals.sequence(seen)) return false;
    if (seen == kEnoughToTell && bytes > 0) {
      const std::uint64_t read = bytes - reader.left().value_or(0);
      passage.totals.expect(static_cast<std::size_t>(
          1.05 * kEnoughToTell * static_cast<double>(bytes) / static_cast<double>(read)));
    }
    PACO_TRY(reader.join(sample));
    passage.see(sample);
  }
  PACO_TRY(reader.finish());
  return true;
}

// For rows in any order and for input that can be read only once: all rows are kept.
Result<std::vector<ReportSample>> pass_and_keep(SampleReader& reader, Passage& passage,
                                                const std::string& path) {
  std::vector<ReportSample> samples;
  while (true) {
    ReportSample sample;
    PACO_ASSIGN(const bool more, reader.next(sample));
    if (!more) break;
    samples.push_back(std::move(sample));
  }
  const auto number = [](const ReportSample& sample) { return sample.sequence; };
  if (!std::ranges::is_sorted(samples, {}, number)) std::ranges::stable_sort(samples, {}, number);
  for (std::size_t i = 1; i < samples.size(); ++i)
    PACO_TRY(evaluate::check_follows(number(samples[i - 1]), number(samples[i]), path));
  for (ReportSample& sample : samples) {
    PACO_TRY(reader.join(sample));
    passage.see(sample);
  }
  PACO_TRY(reader.finish());
  return samples;
}

// Reads the whole stream into report.input. Returns the ids of its samples if they have any.
Result<std::vector<std::string>> read_stream(io::DecisionReader decisions, const SampleFiles& files,
                                             const std::optional<evaluate::KnownClaim>& claim,
                                             GatheredReport& report) {
  ReportInput& input = report.input;
  PACO_ASSIGN(SampleReader reader, SampleReader::start(std::move(decisions), files));
  input.fields = reader.fields();
  const std::vector<std::string> listed = fields_with_threshold(input);
  std::optional<Passage> passage(std::in_place, input.fields, listed, claim, files.decisions);
  bool in_order = false;
  if (files.can_be_read_again()) {
    PACO_ASSIGN(in_order, pass_in_order(reader, *passage));
    if (in_order) {
      report.samples = std::make_unique<SamplesOfFiles>(files);
    } else {
      passage.emplace(input.fields, listed, claim, files.decisions);
      PACO_ASSIGN(io::DecisionReader again, io::DecisionReader::open(files.decisions));
      PACO_ASSIGN(reader, SampleReader::start(std::move(again), files));
    }
  }
  if (!in_order) {
    PACO_ASSIGN(auto samples, pass_and_keep(reader, *passage, files.decisions));
    report.samples = std::make_unique<KeptSamples>(std::move(samples));
  }
  PACO_TRY(passage->conclude());
  input.samples = report.samples.get();
  input.stream = std::move(passage->totals);
  return std::move(passage->ids);
}

// Names of classes and categories by id. Ids follow the order of birth, so there are not many more
// than decisions.
std::vector<std::string> names_by_id(const ReportInput& input) {
  std::vector<std::string> names;
  for (const auto& [category, total] : input.stream.by_category) {
    const auto id = static_cast<std::size_t>(category);
    if (id >= input.known_classes + input.stream.size()) continue;
    if (id >= names.size()) names.resize(id + 1);
    names[id] = total.latest_name;
  }
  return names;
}

Result<io::Truth> truth_of(const ReportFiles& files, const ReportInput& input,
                           std::span<const std::string> ids) {
  const auto known = input.model != nullptr ? input.model->class_names : std::vector<std::string>{};
  PACO_ASSIGN(const auto class_names, io::names_of_classes(known, files.classes));
  return io::read_truth(files.truth, {input.stream.first, input.stream.size(), ids, class_names});
}

Result<void> add_truth(const ReportFiles& files, std::span<const std::string> ids,
                       GatheredReport& report, const std::stop_token& stop) {
  ReportInput& input = report.input;
  PACO_ASSIGN(io::Truth truth, truth_of(files, input, ids));
  std::vector<CategoryId> closed;
  if (!files.closed.empty()) {
    PACO_ASSIGN(evaluate::StreamOutline other, evaluate::read_outline(files.closed));
    PACO_TRY(evaluate::check_same_stream({input.stream.first, input.stream.size()}, files.decisions,
                                         evaluate::extent_of(other), files.closed));
    closed = std::move(other.categories);
  }
  const std::vector<std::string> names = names_by_id(input);
  evaluate::EvaluationInput evaluated;
  evaluated.predicted = input.stream.categories;
  evaluated.truth = truth.labels;
  evaluated.known_classes = static_cast<std::int64_t>(input.known_classes);
  evaluated.closed = closed;
  evaluated.class_names = truth.class_names;
  evaluated.cluster_names = names;
  PACO_ASSIGN(evaluate::Evaluation evaluation,
              evaluate::evaluate(evaluated, files.evaluation, stop));
  report.evaluation = std::make_unique<evaluate::Evaluation>(std::move(evaluation));
  input.evaluation = report.evaluation.get();
  input.truth = std::move(truth.labels);
  input.truth_names = std::move(truth.class_names);
  return {};
}

Result<void> add_images(const ReportFiles& files, GatheredReport& report) {
  PACO_ASSIGN(report.images, embed::open_images(files.images));
  report.input.images = report.images.get();
  if (files.images_index.empty()) return {};
  PACO_ASSIGN(io::NpyArray<std::int64_t> index, io::read_npy<std::int64_t>(files.images_index));
  if (index.data.size() != report.input.stream.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} numbers, {} has {} samples", files.images_index,
                             index.data.size(), files.decisions, report.input.stream.size()),
                 "the index needs one picture number per decision, in stream order"};
  }
  report.input.image_index = std::move(index.data);
  return {};
}

}  // namespace

Result<GatheredReport> gather_report(const ReportFiles& files, std::stop_token stop) {
  GatheredReport report;
  ReportInput& input = report.input;
  PACO_ASSIGN(io::DecisionReader reader, io::DecisionReader::open(files.decisions));
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
  PACO_ASSIGN(const auto known, known_classes(files, input.model));
  std::optional<evaluate::KnownClaim> claim;
  if (known) {
    claim = evaluate::KnownClaim{*known, {}, input.model != nullptr ? files.model : "--known"};
    if (input.model != nullptr) claim->names = input.model->class_names;
  }
  if (!methods.empty()) input.decided_by = methods.front()->name;
  const SampleFiles sample_files{files.decisions, files.trace,
                                 methods.empty() ? nullptr : methods.front()};
  PACO_ASSIGN(const auto ids, read_stream(std::move(reader), sample_files, claim, report));
  input.known_classes = known.value_or(input.stream.known_classes());
  input.title = files.title.empty() ? file_name(files.decisions) : files.title;
  if (!files.truth.empty()) PACO_TRY(add_truth(files, ids, report, stop));
  if (report.model && methods.size() == 1) {
    // If the model has no section of that method, there are no explanations.
    auto method = make_method(methods.front()->name, report.model);
    if (method.ok()) report.method = std::move(method).value();
    input.method = report.method.get();
  }
  input.has_trace = !files.trace.empty();
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

}  // namespace paco::report
