// `paco serve`: the streams of a folder over HTTP, with a page to look after them.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "server/embedding_queue.hpp"
#include "server/listener.hpp"
#include "server/service.hpp"
#include "shared/backbone_options.hpp"
#include "shared/serve_bus.hpp"

namespace paco {
namespace {

struct ServeArguments {
  std::string folder, port_file, token_file;
  BusAddress bus;
  BackboneOptions backbone;
  server::ListenerOptions listener;
  server::ServiceOptions service;
};

Result<void> check(const ServeArguments& r) {
  if (r.listener.certificate.empty() != r.listener.key.empty()) {
    return Error{ErrorCode::bad_argument, "--tls-certificate and --tls-key belong together",
                 "give both, or neither"};
  }
  if (!r.token_file.empty() || server::is_loopback(r.listener.host)) return {};
  return Error{ErrorCode::bad_argument,
               fmt::format("--host {} can be reached from other machines, and there are no tokens",
                           r.listener.host),
               "give --token-file, a file with lines 'ROLE NAME TOKEN'; or stay on 127.0.0.1"};
}

Result<void> run(Context& context, ServeArguments& r) {
  PACO_TRY(check(r));
  if (r.backbone.given()) {
    PACO_ASSIGN(auto embedder, open_backbone(r.backbone));
    const std::string name = embedder->spec().backbone;
    r.service.images = std::make_shared<server::EmbeddingQueue>(std::move(embedder), name);
  }
  if (!r.token_file.empty()) {
    PACO_ASSIGN(r.service.tokens, server::Tokens::read(r.token_file));
  }
  r.service.folder = r.folder;
  r.service.version = PACO_VERSION;
  r.service.loopback = server::is_loopback(r.listener.host);
  r.service.own_streams = r.bus.servers.empty();
  server::Service service(r.service);
  PACO_TRY(service.open());
  std::unique_ptr<BusStreams> on_bus;  // ends before the service
  if (!r.bus.servers.empty()) {
    PACO_ASSIGN(on_bus, open_bus_streams(r.bus, r.folder, service.streams(), context.stop));
  }
  PACO_ASSIGN(const auto listener, server::Listener::start(r.listener, service));
  service.set_counts([&] { return listener->counts(); });
  const bool is_ipv6 = r.listener.host.find(':') != std::string::npos;
  const std::string address =
      fmt::format("{}://{}{}{}:{}", r.listener.certificate.empty() ? "http" : "https",
                  is_ipv6 ? "[" : "", r.listener.host, is_ipv6 ? "]" : "", listener->port());
  if (!r.port_file.empty())
    PACO_TRY(core::write_file(r.port_file, fmt::format("{}\n", listener->port())));
  print_note(fmt::format("serving {} at {} (Ctrl-C ends it)", r.folder, address));

  std::mutex mutex;
  std::condition_variable_any ended;
  {
    std::unique_lock lock(mutex);
    ended.wait(lock, context.stop, [] { return false; });
  }
  listener->stop();
  on_bus.reset();
  service.close();
  print_note("every stream is closed");
  return {};
}

}  // namespace

void add_serve(Options& verb, Context& context) {
  verb.about(
      "Serve the journals of a folder over HTTP, with a page to watch and correct them.\n"
      "On this machine alone unless --host says otherwise, which needs tokens. "
      "docs/reference/serve.md has "
      "the "
      "calls.");
  auto r = std::make_shared<ServeArguments>();
  verb.add_text("folder", r->folder, "where the journals are; made where it is not there")
      .required();
  verb.add_text("--host", r->listener.host, "the address to listen on");
  add_count(verb, "--port", r->listener.port, 0, 65535, "0: any free one");
  verb.add_text("--port-file", r->port_file, "a file to write the port to, once it listens");
  verb.add_text("--bus", r->bus.servers,
                "serve the streams of these NATS servers ('paco bus'), as a replica of each");
  verb.add_text("--bus-credentials", r->bus.credentials, "as --credentials of 'paco bus'");
  verb.add_text("--bus-tls-ca", r->bus.tls_ca, "as --tls-ca of 'paco bus'");
  verb.add_text("--bus-tls-certificate", r->bus.tls_certificate, "as --tls-certificate there");
  verb.add_text("--bus-tls-key", r->bus.tls_key, "as --tls-key there");
  verb.add_text("--token-file", r->token_file, "who may do what: lines 'ROLE NAME TOKEN [RATE]'");
  verb.add_text("--tls-certificate", r->listener.certificate, "PEM file: then it speaks TLS");
  verb.add_text("--tls-key", r->listener.key, "PEM file of its private key");
  add_backbone(verb, r->backbone, "takes images too");
  add_choice<JournalOptions::Durability>(verb, "--durability", r->service.durability,
                                         {{"full", JournalOptions::Durability::full},
                                          {"relaxed", JournalOptions::Durability::relaxed}},
                                         "when a sample is answered: on the disk, or soon");
  add_count(verb, "--connections", r->listener.connections, 1, 1'000'000, "at once, at most");
  add_count(verb, "--body-bytes", r->service.body_bytes, 1024, std::int64_t{1} << 32,
            "of a request with samples, at most");
  add_count(verb, "--upload-bytes", r->service.upload_bytes, 1024, std::int64_t{1} << 36,
            "of a model or a support set, at most");
  add_count(verb, "--idle-seconds", r->listener.idle_seconds, 1, 86'400,
            "until a connection without a request is closed");
  add_count(verb, "--body-seconds", r->listener.body_seconds, 1, 86'400,
            "for a body to come, and a second more for every 64 KiB");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
