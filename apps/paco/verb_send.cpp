// `paco send`: embeddings from a file or a pipe to a stream of `paco serve`, and what it answered.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/partial_file.hpp"
#include "base/try.hpp"
#include "data/embeddings.hpp"
#include "data/npy.hpp"
#include "server_options.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Request {
  ServerOptions server;
  std::string input, out, key_prefix;
  std::size_t block = 256;
  int retries = 60;
};

// A block as an npy file in memory.
std::string npy_of(Rows<const double> rows) {
  const std::uint64_t shape[] = {rows.rows, rows.columns};
  std::string bytes = npy_header(ElementType::f64, shape);
  bytes.append(reinterpret_cast<const char*>(rows.data), rows.rows * rows.columns * sizeof(double));
  return bytes;
}

// Sends a block until it is answered. Without keys a block that may have arrived is not sent again.
Result<serve::Reply> deliver(Context& context, const Request& r, serve::Client& client,
                             const std::string& path, const std::string& body, bool& waited) {
  for (int attempt = 0;; ++attempt) {
    Result<serve::Reply> reply = client.call("POST", path, body, "application/x-npy");
    const bool busy = reply.ok() && (reply->status == 503 || reply->status == 429);
    const bool gone = !reply.ok() && reply.error().code == ErrorCode::io && !r.key_prefix.empty();
    if ((!busy && !gone) || attempt >= r.retries) return reply;
    if (!waited) print_note("the server is not ready; trying again every second");
    waited = true;
    for (int i = 0; i < 10; ++i) {
      if (context.stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

Result<void> run(Context& context, const Request& r) {
  PACO_TRY(check_outputs({{"--input", r.input}}, {{"--out", r.out}}));
  PACO_ASSIGN(const auto client, connect(r.server));
  PACO_ASSIGN(const auto source, open_embeddings(r.input));
  std::optional<AtomicFile> out;
  if (!r.out.empty()) {
    PACO_ASSIGN(out, AtomicFile::create(r.out));
  }
  const std::size_t most = source->block_rows(r.block);
  Matrix<double> block(most, source->dimension());
  std::uint64_t sent = 0, repeated = 0, created = 0;
  bool waited = false;
  const double start = context.clock();
  context.progress->start("send", "samples", source->rows());
  while (!context.stop.stop_requested()) {
    PACO_ASSIGN(const std::size_t rows, source->read_ready(block.view()));
    if (rows == 0) break;
    std::string path = fmt::format("/v1/streams/{}/samples", r.server.stream);
    if (!r.key_prefix.empty())
      path += fmt::format("?key_prefix={}&key_first={}", r.key_prefix, sent);
    PACO_ASSIGN(const serve::Reply reply,
                deliver(context, r, *client, path, npy_of(block.view().slice(0, rows)), waited));
    if (reply.status != 200) {
      Error error = serve::error_of(reply);
      error.message = fmt::format("{}: rows {} to {}: {}", source->name(), sent, sent + rows - 1,
                                  error.message);
      return error;
    }
    const Json json = Json::parse(reply.body, nullptr, false);
    if (!json.is_object() || !json.contains("decisions") || json["decisions"].size() != rows)
      return Error{ErrorCode::bad_format, "the server answered something else",
                   "is it 'paco serve'?"};
    for (const Json& decision : json["decisions"]) {
      repeated += decision.value("repeated", false);
      created += decision.value("verdict", "") == "created";
      if (out) PACO_TRY(out->write(decision.dump() + "\n"));
    }
    sent += rows;
    context.progress->update(sent);
  }
  context.progress->finish();
  if (out) PACO_TRY(out->commit());
  const double seconds = context.clock() - start;
  const double rate = seconds > 0 ? static_cast<double>(sent) / seconds : 0;
  return print_result(
      context,
      Json{{"samples", sent},
           {"repeated", repeated},
           {"created", created},
           {"seconds", seconds},
           {"samples_per_second", rate}},
      fmt::format("{} samples sent in {:.2f} s ({:.0f} a second), {} of them answered "
                  "by their key, {} started a category\n",
                  sent, seconds, rate, repeated, created));
}

}  // namespace

void add_send(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand(
      "send",
      "Send embeddings to a stream of 'paco serve'.\nWith --key-prefix it may be stopped, or lose "
      "its server, and be run again: nothing is decided twice.");
  auto r = std::make_shared<Request>();
  verb.add_option("--input", r->input, "embeddings, one row a sample; - is standard input")
      ->required();
  add_server(verb, r->server);
  verb.add_option("--key-prefix", r->key_prefix, "row i has the key PREFIXi")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool plain = text.find_first_not_of(
                                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                   "UVWXYZ0123456789._-") == std::string::npos;
            return plain ? std::string() : std::string("letters, digits, '.', '_' and '-' only");
          },
          "TEXT"));
  verb.add_option("--out", r->out, "a file for the decisions, one JSON object a line");
  add_count(verb, "--block", r->block, 1, 65'536, "samples in one request");
  add_count(verb, "--retries", r->retries, 0, 1'000'000,
            "how often to try again, a second apart, where the server is away or busy");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
