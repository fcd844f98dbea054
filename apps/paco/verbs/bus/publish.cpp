// `paco bus publish`: publishes samples, pictures or an operation to the bus.
#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "bus/picture_publisher.hpp"
#include "core/try.hpp"
#include "session/operations/operation_json.hpp"
#include "verbs/bus/bus_parts.hpp"

namespace paco {
namespace {

struct BusPublishArguments {
  bus::ConnectOptions server;
  std::string stream, input, images, operation;
  bus::PublishOptions options;
};

std::string fresh_id() {
  std::random_device device;
  return fmt::format("operation-{:08x}{:08x}", device(), device());
}

Result<void> publish_operation(Context& context, const BusPublishArguments& r) {
  const Json json = Json::parse(r.operation, nullptr, false);
  if (json.is_discarded()) {
    return Error{ErrorCode::bad_argument, fmt::format("--operation {}: no JSON", r.operation),
                 R"(e.g. '{"kind": "rename", "category": 7, "name": "heron", "actor": "ann"}')"};
  }
  PACO_ASSIGN(const Operation operation, session::operation_from(json));
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  PACO_TRY(bus::read_settings(*connection, r.stream, context.stop));
  PACO_ASSIGN(const std::uint64_t event,
              bus::publish_operation(*connection, r.stream, operation, fresh_id(), context.stop));
  return print_result(
      context, {{"event", event}},
      fmt::format("event {}; 'paco bus watch --from {}' shows its outcome\n", event, event));
}

Result<bus::PublishOutcome> publish_samples(Context& context, const BusPublishArguments& r) {
  std::unique_ptr<io::EmbeddingSource> source;
  if (!r.input.empty()) {
    PACO_ASSIGN(source, io::open_embeddings(r.input));
  }
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  PACO_ASSIGN(const bus::StreamSettings settings,
              bus::read_settings(*connection, r.stream, context.stop));
  if (source != nullptr) {
    return bus::publish_embeddings(connection, settings, *source, r.options, *context.progress,
                                   context.clock, context.stop);
  }
  return bus::publish_pictures(connection, settings, r.images, r.options, *context.progress,
                               context.clock, context.stop);
}

Result<void> run(Context& context, const BusPublishArguments& r) {
  if (!r.input.empty() + !r.images.empty() + !r.operation.empty() != 1) {
    return Error{ErrorCode::bad_argument, "publish takes samples, pictures or an operation",
                 "give one of --input FILE, --images DATA and --operation JSON"};
  }
  if (!r.operation.empty()) return publish_operation(context, r);
  PACO_ASSIGN(const bus::PublishOutcome out, publish_samples(context, r));
  const double rate = static_cast<double>(out.samples) / std::max(out.seconds, 1e-9);
  const Json json = {{"stream", r.stream},
                     {"samples", out.samples},
                     {"bytes", out.bytes},
                     {"resent", out.resent},
                     {"seconds", out.seconds}};
  return print_result(
      context, json,
      fmt::format("{} samples in {:.2f} s ({:.0f} a second), {:.1f} MB, {} sent again\n",
                  out.samples, out.seconds, rate, static_cast<double>(out.bytes) / 1e6,
                  out.resent));
}

}  // namespace

void add_bus_publish(Options& verb, Context& context) {
  Options& part = verb.add_part(
      "publish",
      "Publish samples, pictures to be embedded, or an operation on categories.\nA key is decided "
      "once, however often it is published; so an interrupted run is simply repeated.");
  auto r = std::make_shared<BusPublishArguments>();
  part.add_text("--stream", r->stream, "its name").required();
  part.add_text("--input", r->input, "embeddings of any format; - for a pipe");
  part.add_text("--images", r->images,
                "pictures for 'paco bus embed', a data set as of 'paco embed --data'");
  part.add_text("--key-prefix", r->options.key_prefix, "the key of row i is this and i");
  add_count(part, "--skip", r->options.skip, 0, kNoLimit, "rows of the input to skip first");
  add_count(part, "--window", r->options.window, 1, 65'536, "messages under way at once");
  part.add_text("--operation", r->operation, "an operation as JSON, instead of samples");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
