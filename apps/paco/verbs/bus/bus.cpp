// `paco bus`: streams on NATS. This file has `init` and `status`.
#include <fmt/format.h>

#include "bus/committed_group.hpp"
#include "bus/nats_log.hpp"
#include "bus/replica_journal.hpp"
#include "bus/settings.hpp"
#include "bus/store.hpp"
#include "core/try.hpp"
#include "paco/session.hpp"
#include "verbs/bus/bus_parts.hpp"

namespace paco {

void add_bus_server(Options& verb, bus::ConnectOptions& o) {
  verb.add_text("--server", o.servers, "NATS servers, with commas; may hold USER:PASSWORD@")
      .environment("PACO_NATS");
  verb.add_text("--credentials", o.credentials, "file with a user's JWT and seed");
  verb.add_text("--tls-ca", o.tls_ca,
                "PEM file of the authority that signed the servers' certificates");
  verb.add_text("--tls-certificate", o.tls_certificate, "PEM file of this client");
  verb.add_text("--tls-key", o.tls_key, "PEM file of its private key");
  add_number(verb, "--patience", o.patience, 0, 1e6, "seconds without an answer until it gives up");
}

namespace {

struct InitArguments {
  bus::ConnectOptions server;
  bus::StreamSettings settings;
  bus::StoreLimits limits;
  std::string model;
};

Result<void> init(Context& context, InitArguments& r) {
  PACO_ASSIGN(Model read, load_model(r.model));
  const auto model = std::make_shared<const Model>(std::move(read));
  PACO_ASSIGN(const Session session, Session::start(model, r.settings.method));
  r.settings.method = session.method().name();
  r.settings.model = model->fingerprint();
  r.settings.dimension = model->dimension;
  r.settings.known = static_cast<std::uint64_t>(model->known_classes());
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  PACO_ASSIGN(const bool made, bus::init(connection, r.settings, r.limits, *model, context.stop));
  const Json json = {{"stream", r.settings.name},         {"made", made},
                     {"model", r.settings.model},         {"method", r.settings.method},
                     {"dimension", r.settings.dimension}, {"known", r.settings.known}};
  return print_result(context, json,
                      fmt::format("stream '{}' {}: method '{}', {} known classes, dimension {}\n",
                                  r.settings.name, made ? "is on the bus" : "was on the bus",
                                  r.settings.method, r.settings.known, r.settings.dimension));
}

struct StatusArguments {
  bus::ConnectOptions server;
  std::string stream;
};

struct PartState {
  std::uint64_t messages = 0, bytes = 0, last = 0;
  std::string leader;
  int current = 1;  // servers that have all messages
};

Result<PartState> part_state(const bus::Connection& connection, const std::string& stream,
                             bus::Part part, const std::stop_token& stop) {
  const std::string name = bus::jetstream_of(stream, part);
  jsStreamInfo* info = nullptr;
  PACO_TRY(connection.retry(name, stop, [&](jsErrCode* code) {
    return js_GetStreamInfo(&info, connection.js(), name.c_str(), nullptr, code);
  }));
  PartState out;
  out.messages = info->State.Msgs;
  out.bytes = info->State.Bytes;
  out.last = info->State.LastSeq;
  if (info->Cluster != nullptr) {
    out.leader = info->Cluster->Leader != nullptr ? info->Cluster->Leader : "";
    for (int i = 0; i < info->Cluster->ReplicasLen; ++i)
      out.current += info->Cluster->Replicas[i]->Current && !info->Cluster->Replicas[i]->Offline;
  }
  jsStreamInfo_Destroy(info);
  return out;
}

Result<Json> stream_status(const std::shared_ptr<bus::Connection>& connection,
                           const std::string& name, const std::stop_token& stop) {
  PACO_ASSIGN(const bus::StreamSettings settings, bus::read_settings(*connection, name, stop));
  PACO_ASSIGN(const PartState events, part_state(*connection, name, bus::Part::events, stop));
  PACO_ASSIGN(const PartState raw, part_state(*connection, name, bus::Part::raw, stop));
  PACO_ASSIGN(const PartState rejected, part_state(*connection, name, bus::Part::rejected, stop));
  bus::NatsStreamLog log(connection, name);
  PACO_ASSIGN(const auto newest, bus::newest_group(log, name, stop));
  PACO_ASSIGN(const std::uint64_t snapshot, bus::snapshot_event(connection, name, stop));
  PACO_ASSIGN(const auto owners, bus::Bucket::find(*connection, bus::kOwnersBucket, stop));
  std::optional<bus::Bucket::Entry> owner;
  if (owners) {
    PACO_ASSIGN(owner, owners->get(name, stop));
  }
  const std::uint64_t committed = newest ? newest->group.last() : 0;
  return Json{{"stream", name},
              {"method", settings.method},
              {"model", settings.model},
              {"dimension", settings.dimension},
              {"events", events.last},
              {"decided", committed},
              {"behind", events.last - std::min(events.last, committed)},
              {"samples", newest ? newest->group.samples : 0},
              {"bytes", events.bytes},
              {"speaker", newest ? newest->group.publisher : ""},
              {"owner", owner ? owner->value : ""},
              {"snapshot", snapshot},
              {"raw", raw.messages},
              {"rejected", rejected.messages},
              {"leader", events.leader},
              {"servers", events.current}};
}

Result<void> status(Context& context, const StatusArguments& r) {
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  std::vector<std::string> names = {r.stream};
  if (r.stream.empty()) {
    PACO_ASSIGN(names, bus::stream_names(*connection, context.stop));
  }
  Json list = Json::array();
  std::string text =
      fmt::format("{:<16} {:>10} {:>10} {:>8} {:>8} {:>8} {:>10} {:>7}  {}\n", "stream", "events",
                  "decided", "behind", "raw", "rejected", "snapshot", "servers", "publisher");
  for (const std::string& name : names) {
    PACO_ASSIGN(Json one, stream_status(connection, name, context.stop));
    const auto number = [&](const char* key) { return one[key].get<std::uint64_t>(); };
    text += fmt::format("{:<16} {:>10} {:>10} {:>8} {:>8} {:>8} {:>10} {:>7}  {}\n", name,
                        number("events"), number("decided"), number("behind"), number("raw"),
                        number("rejected"), number("snapshot"), number("servers"),
                        one["speaker"].get<std::string>());
    list.push_back(std::move(one));
  }
  return print_result(context, {{"streams", std::move(list)}}, text);
}

void add_init(Options& verb, Context& context) {
  Options& part = verb.add_part(
      "init", "Put a stream on the bus: its JetStream streams, its settings and its model.");
  auto r = std::make_shared<InitArguments>();
  part.add_text("--stream", r->settings.name, "its name").required();
  part.add_text("--model", r->model, "the model it decides with").required();
  part.add_text("--method", r->settings.method, "empty: the model's");
  add_count(part, "--replicas", r->limits.replicas, 1, 5, "servers that keep every message");
  add_count(part, "--max-bytes", r->limits.max_bytes, 0, kNoLimit,
            "of all events; 0: what the servers have room for");
  add_count(part, "--window", r->limits.window_s, 1, 86'400,
            "seconds in which JetStream drops a picture or operation that is sent again");
  add_count(part, "--digest-every", r->settings.digest_every, 1, kNoLimit,
            "events between two digests that the replicas compare");
  add_count(part, "--snapshot-every", r->settings.snapshot_every, 0, kNoLimit,
            "events between two snapshots of a replica's journal on the bus; 0: none");
  add_count(part, "--embeddings", r->settings.embeddings, 0, kNoLimit,
            "embeddings of so many last samples stay in the journals; else all");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] { return init(context, *r); });
}

void add_status(Options& verb, Context& context) {
  Options& part = verb.add_part("status", "The streams on the bus, and how far each is.");
  auto r = std::make_shared<StatusArguments>();
  part.add_text("--stream", r->stream, "this one alone");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] { return status(context, *r); });
}

}  // namespace

void add_bus(Options& verb, Context& context) {
  verb.about(
      "Streams on NATS JetStream: many machines embed and decide, and any of them may go.\n"
      "Every sample is decided once, in the one order of the stream, whichever machine is killed. "
      "docs/how-to/scale.md has the walk.");
  add_init(verb, context);
  add_bus_publish(verb, context);
  add_bus_embed(verb, context);
  add_bus_decide(verb, context);
  add_bus_watch(verb, context);
  add_status(verb, context);
}

}  // namespace paco
