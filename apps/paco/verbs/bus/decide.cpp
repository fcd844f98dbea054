// `paco bus decide`: a replica of one stream, or the owner of any number of streams.
#include <fmt/format.h>
#include <unistd.h>

#include "bus/owners.hpp"
#include "core/try.hpp"
#include "verbs/bus/bus_parts.hpp"

namespace paco {
namespace {

struct BusDecideArguments {
  bus::ConnectOptions server;
  std::string stream, model;
  bus::RunOptions run;
  bus::OwnerOptions owner;
};

std::string own_name() {
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}-{}", host, ::getpid());
}

Result<void> check_model(const BusDecideArguments& r, const bus::StreamSettings& settings) {
  if (r.model.empty()) return {};
  PACO_ASSIGN(const Model model, load_model(r.model));
  if (model.fingerprint() == settings.model) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("{}: model {}, stream '{}' has model {}", r.model, model.fingerprint(),
                           settings.name, settings.model),
               "leave --model out: the stream brings its own"};
}

Result<void> decide_one(Context& context, const BusDecideArguments& r,
                        const std::shared_ptr<bus::Connection>& connection) {
  PACO_ASSIGN(const bus::StreamSettings settings,
              bus::read_settings(*connection, r.stream, context.stop));
  PACO_TRY(check_model(r, settings));
  PACO_ASSIGN(const bus::RunOutcome out,
              bus::run_replica(connection, settings, r.run, context.stop));
  const Json json = {{"stream", r.stream},
                     {"event", out.folded.event},
                     {"samples", out.folded.samples},
                     {"standing", out.committed},
                     {"spoke", out.takeovers}};
  return print_result(context, json,
                      fmt::format("folded up to event {}, {} samples; event {} is committed\n",
                                  out.folded.event, out.folded.samples, out.committed));
}

Result<void> decide_many(Context& context, BusDecideArguments& r,
                         const std::shared_ptr<bus::Connection>& connection) {
  r.owner.name = r.run.name;
  r.owner.note = r.run.note;
  r.owner.replica = r.run;
  PACO_ASSIGN(const bus::OwnerOutcome out, bus::own_streams(connection, r.owner, context.stop));
  const Json json = {{"taken", out.taken}, {"lost", out.lost}, {"failed", out.failed}};
  return print_result(context, json,
                      fmt::format("took {} streams, lost {}, {} ended by themselves\n", out.taken,
                                  out.lost, out.failed));
}

Result<void> run(Context& context, BusDecideArguments& r) {
  const bool one = !r.stream.empty() && !r.run.journal.empty() && r.owner.folder.empty();
  const bool many = r.stream.empty() && r.run.journal.empty() && !r.owner.folder.empty();
  if (!one && !many) {
    return Error{ErrorCode::bad_argument, "decide works for one stream, or for all",
                 "give --stream NAME and --journal FILE, or --folder DIR"};
  }
  if (r.run.name.empty()) r.run.name = own_name();
  r.run.note = [name = r.run.name](const std::string& text) {
    print_note(fmt::format("{} {}", name, text));
  };
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  return one ? decide_one(context, r, connection) : decide_many(context, r, connection);
}

}  // namespace

void add_bus_decide(Options& verb, Context& context) {
  Options& part = verb.add_part(
      "decide",
      "Decide on the events of a stream, as one of any number of replicas.\nOne of them publishes "
      "decisions, the others compare, and any of them takes over if none are published. With "
      "--folder it shares all streams with the other processes that do so.");
  auto r = std::make_shared<BusDecideArguments>();
  part.add_text("--stream", r->stream, "its name");
  part.add_text("--journal", r->run.journal,
                "where this replica keeps its state; made, or continued");
  part.add_text("--folder", r->owner.folder, "own streams that have no owner; journals go there");
  add_count(part, "--most", r->owner.most, 1, 1'000'000, "streams to own at once");
  part.add_text("--model", r->model, "check that it is the stream's");
  part.add_text("--name", r->run.name, "of this replica").shown_default("HOST-PROCESS");
  add_count(part, "--silence-ms", r->run.takeover_ms, 1, 3'600'000,
            "how long a decision may stay unpublished before this replica publishes it");
  add_count(part, "--until", r->run.until, 0, kNoLimit,
            "end when so many events are committed; 0: never");
  add_threads(part, r->run.threads, "speed only; no answer depends on it");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
