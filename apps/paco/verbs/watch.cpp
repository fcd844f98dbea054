// `paco watch`: prints the events of a stream of `paco serve` as they happen, one per line.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "cli/verb.hpp"
#include "core/printable.hpp"
#include "core/try.hpp"
#include "shared/server_options.hpp"

namespace paco {
namespace {

struct WatchArguments {
  ServerOptions server;
  std::int64_t from = -1;
  std::uint64_t count = 0;
  std::string kinds = "sample,operation";
};

std::string line_of(const Json& json, const std::string& kind) {
  if (kind == "operation") {
    return fmt::format("{:>9}  {}: {}\n", json.value("event", 0), json.value("actor", ""),
                       core::printable(json.value("text", "")));
  }
  return fmt::format("{:>9}  sample {}: {} '{}'\n", json.value("event", 0),
                     json.value("sequence", 0), json.value("verdict", ""),
                     core::printable(json.value("name", "")));
}

Result<void> run(Context& context, const WatchArguments& r) {
  PACO_ASSIGN(const auto client, connect(r.server));
  std::optional<std::uint64_t> next;
  if (r.from >= 0) next = static_cast<std::uint64_t>(r.from);
  std::uint64_t seen = 0;
  std::string id, kind;
  Result<void> failed;
  const auto take = [&](std::string_view line) {
    if (context.stop.stop_requested()) return false;
    if (line.starts_with("id: ")) id = line.substr(4);
    if (line.starts_with("event: ")) kind = line.substr(7);
    if (!line.starts_with("data: ")) return true;
    const Json json = Json::parse(line.substr(6), nullptr, false);
    if (!json.is_object()) return true;
    next = json.value("event", std::uint64_t{0}) + 1;
    failed = write_stdout(context,
                          context.json ? std::string(line.substr(6)) + "\n" : line_of(json, kind));
    return failed.ok() && (r.count == 0 || ++seen < r.count);
  };
  for (bool noted = false; !context.stop.stop_requested();) {
    std::string path = fmt::format("/v1/streams/{}/events?kinds={}", r.server.stream, r.kinds);
    if (next) path += fmt::format("&from={}", *next);
    const Result<server::Reply> reply = client->lines(path, take);
    if (!failed.ok()) return failed;
    if (reply.ok() && reply->status == 200) return {};
    const bool busy = reply.ok() && reply->status == 503;
    if (reply.ok() && !busy) return server::error_of(*reply);
    if (!reply.ok() && reply.error().code != ErrorCode::io) return reply.error();
    if (!next) return reply.ok() ? server::error_of(*reply) : reply.error();
    if (!noted) print_note("the server is away; going on when it is back");
    noted = true;
    for (int i = 0; i < 10 && !context.stop.stop_requested(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {};
}

}  // namespace

void add_watch(Options& verb, Context& context) {
  verb.about(
      "Show what happens in a stream of 'paco serve', as it happens.\n"
      "Goes on without gap or double when the server comes back. With --json each line is one "
      "object.");
  auto r = std::make_shared<WatchArguments>();
  add_server(verb, r->server);
  add_count(verb, "--from", r->from, -1, kNoLimit, "event to begin with; -1: the present end");
  add_count(verb, "--count", r->count, 0, kNoLimit, "end after so many events; 0: never");
  verb.add_text("--kinds", r->kinds, "of sample, operation, created, with commas");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
