// `paco serve`: serves the streams of a folder over HTTP, with a web page.
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "cli/signals.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "server/embedding_queue.hpp"
#include "server/listener.hpp"
#include "server/service.hpp"
#include "shared/encoder.hpp"
#include "shared/serve_bus.hpp"

namespace paco {
namespace {

struct ServeArguments {
  std::string folder, port_file, token_file;
  BusAddress bus;
  EncoderOptions encoder;
  server::ListenerOptions listener;
  server::ServiceOptions service;
  server::LogForm log_form = server::LogForm::text;
  server::LogLevel log_level = server::LogLevel::info;
};

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Reads tokens and certificate again while the server runs. If a file is invalid, the previous
// values remain in use.
void reload(const ServeArguments& r, server::Service& service, server::Listener& listener) {
  server::Log& log = *r.service.log;
  const auto tell = [&](std::string_view what, const Result<void>& done) {
    if (done.ok()) {
      log.write(server::LogLevel::info, "reloaded", {{"what", what}});
    } else {
      log.write(server::LogLevel::error, "reload_failed",
                {{"what", what}, {"error", done.error().message}});
    }
  };
  if (!r.token_file.empty()) {
    auto tokens = server::Tokens::read(r.token_file);
    if (tokens.ok()) service.set_tokens(std::move(tokens).value());
    tell("tokens", tokens.ok() ? Result<void>() : tokens.error());
  }
  if (!r.listener.certificate.empty()) tell("certificate", listener.reload_certificate());
}

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
  if (r.encoder.given()) {
    PACO_ASSIGN(Encoder encoder, open_encoder(r.encoder));
    r.service.encoder = embedding_queue(std::move(encoder));
  }
  if (!r.token_file.empty()) {
    PACO_ASSIGN(r.service.tokens, server::Tokens::read(r.token_file));
  }
  r.service.log = std::make_shared<server::Log>(
      r.log_form, r.log_level,
      [](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stderr); },
      seconds_since_1970);
  r.service.folder = r.folder;
  r.service.version = PACO_VERSION;
  r.service.loopback = server::is_loopback(r.listener.host);
  r.service.own_streams = r.bus.servers.empty();
  server::Service service(r.service);
  PACO_TRY(service.open());
  std::unique_ptr<BusStreams> on_bus;  // destroyed before the service
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
  if (context.json) {
    PACO_TRY(print_result(context, Json{{"address", address}, {"folder", r.folder}}, ""));
  }
  print_note(fmt::format("serving {} at {} (Ctrl-C ends it)", r.folder, address));
  const ReloadOnHangup reloading([&] { reload(r, service, *listener); });

  std::mutex mutex;
  std::condition_variable_any ended;
  {
    std::unique_lock lock(mutex);
    ended.wait(lock, context.stop, [] { return false; });
  }
  r.service.log->write(server::LogLevel::info, "stopping", {});
  listener->stop();
  on_bus.reset();
  service.close();
  print_note("every stream is closed");
  context.ended_as_asked = stopped_by_sigterm();
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
  verb.add_text("--token-file", r->token_file,
                "who may do what: lines 'ROLE NAME TOKEN [RATE] [streams=A,B]'");
  verb.add_text("--tls-certificate", r->listener.certificate, "PEM file: then it speaks TLS");
  verb.add_text("--tls-key", r->listener.key, "PEM file of its private key");
  add_encoder(verb, r->encoder, "takes images or texts too");
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
  add_choice<server::LogForm>(verb, "--log-format", r->log_form,
                              {{"text", server::LogForm::text}, {"json", server::LogForm::json}},
                              "of the log on stderr: a line an event");
  add_choice<server::LogLevel>(verb, "--log-level", r->log_level,
                               {{"error", server::LogLevel::error},
                                {"warning", server::LogLevel::warning},
                                {"info", server::LogLevel::info},
                                {"debug", server::LogLevel::debug}},
                               "how much of it: 'debug' has every request");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
