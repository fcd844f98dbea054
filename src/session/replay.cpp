#include "session/replay.hpp"

#include <fmt/format.h>

#include "core/try.hpp"

namespace paco::session {
namespace {

// The journal's method, or another one over the same samples.
Result<std::unique_ptr<Method>> method_for(journal::Journal& journal, const ReplayRequest& r) {
  if (r.method.empty() && !r.model) return method_of_journal(journal, r.threads);
  MethodOptions options;
  options.threads = r.threads;
  if (r.model) {
    if (r.model->dimension != journal.settings().dimension) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: for {} numbers a sample, {} has {}", r.model_name,
                               r.model->dimension, r.journal, journal.settings().dimension),
                   "give a model made from embeddings of the same backbone"};
    }
    return make_method(r.method, r.model, options);
  }
  PACO_ASSIGN(std::vector<std::byte> bytes, journal.model());
  PACO_ASSIGN(Model model, model_from_bytes(std::move(bytes), r.journal + " (its model)"));
  return make_method(r.method, std::make_shared<const Model>(std::move(model)), options);
}

}  // namespace

Result<Replayed> replay_journal(const ReplayRequest& request) {
  PACO_ASSIGN(journal::Journal journal,
              journal::Journal::open(request.journal, journal::OpenMode::read, {}));
  Replayed out;
  PACO_ASSIGN(out.method, method_for(journal, request));
  PACO_ASSIGN(const journal::JournalTail tail, journal.tail());
  FoldOptions options = request.fold;
  out.foreign = options.foreign = !request.method.empty() || request.model;
  options.stop_at_difference = false;
  if (options.progress)
    options.progress->start("replay", "events", std::min(options.until, tail.events));
  Result<FoldOutcome> folded = fold(journal, *out.method, 0, options);
  if (options.progress) options.progress->finish();
  PACO_ASSIGN(out.fold, std::move(folded));
  PACO_ASSIGN(out.digest, out.method->digest());
  out.equal = out.fold.differences == 0;
  if (!out.foreign) {
    // A snapshot after the same number of events must equal the rebuilt state.
    PACO_ASSIGN(const std::vector<journal::SnapshotInfo> snapshots, journal.snapshots());
    for (const journal::SnapshotInfo& info : snapshots)
      out.equal = out.equal && (info.event != out.fold.events || info.digest == out.digest);
  }
  return out;
}

nlohmann::ordered_json replay_json(const Replayed& r) {
  using Json = nlohmann::ordered_json;
  return {{"samples", r.fold.samples},
          {"operations", r.fold.operations},
          {"equal", r.equal},
          {"first_difference", r.fold.first_difference ? Json(*r.fold.first_difference) : Json()},
          {"digest", r.digest},
          {"differences", r.fold.differences},
          {"events", r.fold.events},
          {"method", r.method->name()},
          {"model", r.method->model().fingerprint()},
          {"categories", r.method->view()->discovered}};
}

}  // namespace paco::session
