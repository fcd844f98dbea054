// `paco replay`: decides a recorded stream again, to prove that the record is right, to get the
// state at an earlier moment, or to see the decisions of another method or model.
#include "session/replay.hpp"

#include <fmt/format.h>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "evaluate/evaluation.hpp"
#include "io/labels.hpp"
#include "report/summary.hpp"

namespace paco {
namespace {

struct ReplayArguments {
  std::string journal, method, model, state, truth;
  std::uint64_t until = ~std::uint64_t{0};
  std::size_t block = 256;
  int threads = 1;
};

Result<Json> accuracy(const std::vector<CategoryId>& predicted,
                      const std::vector<std::int64_t>& truth, std::size_t known) {
  evaluate::EvaluationInput input;
  input.predicted = predicted;
  input.truth = std::span(truth).first(predicted.size());
  input.known_classes = static_cast<std::int64_t>(known);
  PACO_ASSIGN(const evaluate::Evaluation evaluation, evaluate::evaluate(input));
  return Json(report::evaluation_json(evaluation));
}

// One label per sample of the journal, or an empty list.
Result<std::vector<std::int64_t>> truth_of(const ReplayArguments& r, const Model* model) {
  if (r.truth.empty()) return std::vector<std::int64_t>{};
  PACO_ASSIGN(journal::Journal journal,
              journal::Journal::open(r.journal, journal::OpenMode::read, {}));
  PACO_ASSIGN(const journal::JournalTail tail, journal.tail());
  std::vector<std::string> names;
  if (model) {
    names = model->class_names;
  } else {
    PACO_ASSIGN(std::vector<std::byte> bytes, journal.model());
    PACO_ASSIGN(const Model own, model_from_bytes(std::move(bytes), r.journal + " (its model)"));
    names = own.class_names;
  }
  PACO_ASSIGN(io::Labels labels, io::read_labels(r.truth, names));
  if (labels.ids.size() < tail.samples) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: {} labels, the journal has {} samples", r.truth,
                             labels.ids.size(), tail.samples),
                 "give the true class of every sample, in stream order"};
  }
  return std::move(labels.ids);
}

Result<void> run(Context& context, const ReplayArguments& r) {
  PACO_TRY(check_outputs({{"journal", r.journal}, {"--model", r.model}, {"--truth", r.truth}},
                         {{"--save-state", r.state}}));
  session::ReplayRequest request;
  request.journal = r.journal;
  request.method = r.method;
  request.threads = r.threads;
  if (!r.model.empty()) {
    PACO_ASSIGN(Model model, load_model(r.model));
    request.model = std::make_shared<const Model>(std::move(model));
    request.model_name = r.model;
  }
  PACO_ASSIGN(const std::vector<std::int64_t> truth, truth_of(r, request.model.get()));
  request.fold.until = r.until;
  request.fold.block = r.block;
  request.fold.progress = context.progress.get();
  request.fold.stop = context.stop;
  std::vector<CategoryId> decided, recorded;
  request.fold.each = [&](const Decision& d, const io::DecidedSample& sample) {
    if (truth.empty()) return;
    decided.push_back(d.category);
    recorded.push_back(sample.category);
  };
  PACO_ASSIGN(const session::Replayed replayed, session::replay_journal(request));
  const session::FoldOutcome& folded = replayed.fold;
  const std::unique_ptr<Method>& method = replayed.method;
  if (!r.state.empty()) {
    PACO_ASSIGN(const std::vector<std::byte> bytes, method->save());
    PACO_TRY(core::write_file(r.state, bytes));
  }
  Json json = session::replay_json(replayed);
  std::string text = fmt::format("{} samples and {} operations decided anew by '{}'\n",
                                 folded.samples, folded.operations, method->name());
  if (replayed.foreign && folded.operations > 0)
    text += "operations were left out: they speak of categories of the recorded stream\n";
  text += replayed.equal
              ? "every decision and the state are as recorded\n"
              : fmt::format("{} decisions differ, the first at sample {}\n", folded.differences,
                            folded.first_difference ? fmt::format("{}", *folded.first_difference)
                                                    : std::string("-"));
  text += fmt::format("digest {}\n", replayed.digest);
  if (!truth.empty() && !decided.empty()) {
    PACO_ASSIGN(json["accuracy"], accuracy(decided, truth, method->model().known_classes()));
    PACO_ASSIGN(json["recorded_accuracy"],
                accuracy(recorded, truth, method->model().known_classes()));
    text += fmt::format("strict all {:.1f} %, as recorded {:.1f} %\n",
                        100 * json["accuracy"]["strict"]["all"].get<double>(),
                        100 * json["recorded_accuracy"]["strict"]["all"].get<double>());
  }
  PACO_TRY(print_result(context, json, text));
  if (!replayed.equal) context.exit_code = 1;
  return {};
}

}  // namespace

void add_replay(Options& verb, Context& context) {
  verb.about(
      "Decide a recorded stream anew and compare with what was answered.\nExit code 1 where a "
      "decision or the state differs. With --method or --model another rule runs over the same "
      "samples.");
  auto r = std::make_shared<ReplayArguments>();
  verb.add_text("journal", r->journal, "the journal; it is only read").required();
  add_count(verb, "--until", r->until, 0, kNoLimit, "stop after so many events")
      .shown_default("all");
  verb.add_text("--method", r->method, "decide with this method instead of the recorded one");
  verb.add_text("--model", r->model, "decide with this model instead of the recorded one");
  verb.add_text("--truth", r->truth, "true classes in stream order, for accuracies of both");
  verb.add_text("--save-state", r->state, "write the state that is reached");
  add_count(verb, "--block", r->block, 1, 65536, "samples decided at once; speed only");
  add_threads(verb, r->threads, "speed only, no decision depends on it");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
