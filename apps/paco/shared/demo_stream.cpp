#include "shared/demo_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/embeddings.hpp"
#include "io/labels.hpp"
#include "paco/thresholds.hpp"
#include "report/gather.hpp"
#include "report/report.hpp"
#include "report/summary.hpp"
#include "session/stream.hpp"
#include "shared/image_set.hpp"
#include "shared/support_files.hpp"

namespace paco {
namespace {

// The stream as it goes: a row whenever the number of samples has doubled.
class LiveTable final : public core::Progress {
 public:
  LiveTable(const Session& session, const PacoParameters& parameters, const core::Clock& clock)
      : session_(session), parameters_(parameters), clock_(clock) {}

  void start(std::string_view, std::string_view, std::optional<std::uint64_t>) override {
    started_ = clock_();
    std::fputs(
        "  samples    known  explained   attach   create  categories  mature   boundary  "
        "samples/s\n",
        stderr);
  }
  void update(std::uint64_t done, std::string_view note) override {
    done_ = done;
    categories_ = note.substr(0, note.find(' '));
    if (done < next_) return;
    row();
    while (next_ <= done) next_ *= 2;
  }
  void finish() override {
    if (done_ != shown_) row();
  }

 private:
  void row() {
    const auto samples = static_cast<double>(std::max<std::uint64_t>(session_.samples(), 1));
    const std::vector<Statistic> statistics = session_.method().statistics();
    const auto figure = [&](std::string_view name) {
      const auto found = std::find_if(statistics.begin(), statistics.end(),
                                      [&](const Statistic& f) { return f.name == name; });
      return found == statistics.end() ? 0.0 : found->value;
    };
    const auto share = [&](const char* branch) { return 100 * figure(branch) / samples; };
    const double seconds = clock_() - started_;
    std::fputs(
        fmt::format("  {:>7}  {:>5.1f} %    {:>5.1f} %  {:>5.1f} %  {:>5.1f} %  {:>10}  {:>6}  "
                    "{:>9.3f}  {:>9.0f}\n",
                    session_.samples(), share("branches.known_only"), share("branches.explained"),
                    share("branches.attach"), share("branches.create"), categories_,
                    figure("mature"), parameters_.as_cosine(figure("tau_birth")),
                    seconds > 0 ? static_cast<double>(done_) / seconds : 0.0)
            .c_str(),
        stderr);
    shown_ = done_;
  }

  const Session& session_;
  const PacoParameters& parameters_;
  const core::Clock& clock_;
  std::string categories_ = "0";
  std::uint64_t done_ = 0, shown_ = 0, next_ = 256;
  double started_ = 0;
};

Result<std::shared_ptr<const Model>> calibrate_step(Context& context, const DemoFiles& files,
                                                    const DemoStream& demo) {
  print_command(
      fmt::format("paco calibrate --method {} --support {} --labels {} --classes {}{} --out {}{}",
                  demo.method, files.support, files.support_labels, files.known,
                  demo.classifier ? fmt::format(" --classifier {}", files.classifier) : "",
                  files.model, demo.is_paco() ? fmt::format(" --seed {}", demo.seed) : ""));
  CalibrationOptions options;
  options.method = demo.method;
  if (demo.is_paco()) options.set("seed", static_cast<double>(demo.seed));
  options.threads = demo.threads;
  PACO_ASSIGN(auto model, calibrate_files({files.support, files.support_labels,
                                           demo.classifier ? files.classifier : "", files.known},
                                          options, context.stop, *context.progress));
  PACO_TRY(save_model(model, files.model));
  return std::make_shared<const Model>(std::move(model));
}

Result<std::vector<CategoryId>> discover_step(Context& context, const DemoFiles& files,
                                              const DemoStream& demo,
                                              const std::shared_ptr<const Model>& model,
                                              const std::string& name, const std::string& out,
                                              const std::string& trace_path) {
  print_command(fmt::format("paco discover --model {} --input {} --method {} --out {}{}",
                            files.model, files.stream, name, out,
                            trace_path.empty() ? "" : fmt::format(" --trace {}", trace_path)));
  PacoParameters parameters;
  if (demo.is_paco()) {
    PACO_ASSIGN(parameters, paco_parameters(*model));
  }
  PACO_ASSIGN(Session session,
              Session::start(model, name, {.threads = demo.threads, .settings = {}}));
  PACO_ASSIGN(auto writer, io::make_decision_writer(out, session.method().info()));
  std::optional<io::TraceWriter> trace;
  if (!trace_path.empty()) {
    PACO_ASSIGN(trace, io::TraceWriter::create(trace_path, session.method().info()));
  }
  PACO_ASSIGN(std::shared_ptr<io::EmbeddingSource> source, io::open_embeddings(files.stream));
  LiveTable table(session, parameters, context.clock);
  core::NoProgress silence;
  core::Progress& progress = !trace           ? static_cast<core::Progress&>(silence)
                             : demo.is_paco() ? static_cast<core::Progress&>(table)
                                              : *context.progress;
  PACO_ASSIGN(const auto outcome,
              session::run_stream(source, session, {}, {writer.get(), trace ? &*trace : nullptr},
                                  progress, context.clock, context.stop));
  if (outcome.refused) return *outcome.refused;
  if (outcome.interrupted) return Error{ErrorCode::interrupted, "interrupted", ""};
  PACO_ASSIGN(const auto decided, io::read_decisions(out));
  std::vector<CategoryId> categories;
  for (const auto& decision : decided.decisions) categories.push_back(decision.category);
  return categories;
}

}  // namespace

Result<Json> run_demo_stream(Context& context, const DemoFiles& files, const DemoStream& demo) {
  PACO_ASSIGN(const auto model, calibrate_step(context, files, demo));
  if (demo.is_paco()) {
    PACO_ASSIGN(const PacoParameters parameters, paco_parameters(*model));
    std::fputs(fmt::format("  {} known classes, {} references; a sample is explained from a cosine "
                           "of {:.3f} on\n",
                           model->known_classes(), reference_choice_name(model->reference),
                           parameters.as_cosine(parameters.tau_birth_sup))
                   .c_str(),
               stderr);
  }
  PACO_ASSIGN(const auto closed,
              discover_step(context, files, demo, model, "closed", files.closed, ""));
  PACO_ASSIGN(const auto predicted, discover_step(context, files, demo, model, demo.method,
                                                  files.decisions, files.trace));

  print_command(fmt::format(
      "paco evaluate --decisions {} --truth {} --classes {} --model {} --closed {} --json > {}",
      files.decisions, files.stream_labels, files.classes, files.model, files.closed,
      files.evaluation));
  PACO_ASSIGN(const auto truth, io::read_labels(files.stream_labels));
  PACO_ASSIGN(const auto names, io::read_class_names(files.classes));
  evaluate::EvaluationInput input;
  input.predicted = predicted;
  input.truth = truth.ids;
  input.known_classes = static_cast<std::int64_t>(model->known_classes());
  input.closed = closed;
  input.class_names = names;
  PACO_ASSIGN(const evaluate::Evaluation evaluation, evaluate::evaluate(input));
  Json json = report::evaluation_json(evaluation);
  PACO_TRY(core::write_file(files.evaluation, json.dump(2) + "\n"));

  std::string pictures;
  report::ReportFiles report;
  report.title = demo.title;
  report.decisions = files.decisions;
  report.trace = files.trace;
  report.model = files.model;
  report.truth = files.stream_labels;
  report.classes = files.classes;
  report.closed = files.closed;
  if (!demo.images.empty()) {
    report.images = demo.images;
    report.images_index = files.stream_index;
    pictures = fmt::format(" --images {} --images-index {}", demo.images, files.stream_index);
  }
  print_command(fmt::format(
      "paco report --decisions {} --trace {} --model {} --truth {} --classes {} --closed {}{} "
      "--title \"{}\" --out {}",
      files.decisions, files.trace, files.model, files.stream_labels, files.classes, files.closed,
      pictures, demo.title, files.report));
  PACO_ASSIGN(const auto gathered, report::gather_report(report));
  const auto page = report::render_report(gathered.input);
  if (page.ok()) {
    PACO_TRY(core::write_file(files.report, *page));
  } else {
    print_note("no report: " + page.error().message +
               (page.error().hint.empty() ? "" : "; " + page.error().hint));
  }
  std::fputs(fmt::format("\n{}\n{}", report::table_text(report::accuracy_table(evaluation)),
                         report::table_text(report::overview_table(evaluation)))
                 .c_str(),
             stderr);
  json["report"] = page.ok() ? Json(files.report) : Json();
  return json;
}

}  // namespace paco
