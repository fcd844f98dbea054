// `paco send`: embeddings or images to a stream of `paco serve`, and what it answered.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/partial_file.hpp"
#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "shared/send_blocks.hpp"
#include "shared/server_options.hpp"

namespace paco {
namespace {

struct SendArguments {
  ServerOptions server;
  std::string input, out, key_prefix;
  std::vector<std::string> images;
  std::size_t block = 256;
  int retries = 60;
};

// Sends a block until it is answered. Without keys a block that may have arrived is not sent again;
// images always have one.
Result<server::Reply> deliver(Context& context, const SendArguments& r, server::Client& client,
                              const std::string& path, const SendBlock& block, bool& waited) {
  for (int attempt = 0;; ++attempt) {
    Result<server::Reply> reply = client.call("POST", path, block.body, block.type);
    const bool busy = reply.ok() && (reply->status == 503 || reply->status == 429);
    const bool gone = !reply.ok() && reply.error().code == ErrorCode::io &&
                      (!r.key_prefix.empty() || !r.images.empty());
    if ((!busy && !gone) || attempt >= r.retries) return reply;
    if (!waited) print_note("the server is not ready; trying again every second");
    waited = true;
    for (int i = 0; i < 10; ++i) {
      if (context.stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

// Sends a block without the images that the server refuses by their row.
Result<server::Reply> deliver_images(Context& context, const SendArguments& r,
                                     server::Client& client, const std::string& path,
                                     SendBlocks& source, SendBlock& block, bool& waited) {
  for (;;) {
    PACO_ASSIGN(server::Reply reply, deliver(context, r, client, path, block, waited));
    const std::optional<std::size_t> row = server::refused_row(reply);
    if (!row || *row >= block.files.size()) return reply;
    source.skip(block.files[*row], server::error_of(reply).message);
    block.drop(*row);
    if (block.samples == 0) return server::Reply{200, R"({"decisions":[]})"};
  }
}

// Embeddings with a record are compared with what the stream's model was calibrated on.
Result<void> check_record(const SendArguments& r, server::Client& client) {
  PACO_ASSIGN(const auto record, io::find_embedding_record(r.input));
  if (!record) return {};
  PACO_ASSIGN(const server::Reply reply, client.call("GET", "/v1/streams/" + r.server.stream));
  if (reply.status != 200) return server::error_of(reply);
  const Json json = Json::parse(reply.body, nullptr, false);
  if (!json.is_object() || !json.contains("embedding") || json["embedding"].is_null()) return {};
  PACO_ASSIGN(const EmbeddingRecord models,
              embedding_record_from_json(json["embedding"].dump(), r.server.stream));
  return check_embedding(models, *record, r.input);
}

Result<void> run(Context& context, const SendArguments& r) {
  PACO_TRY(check_outputs({{"--input", r.input}}, {{"--out", r.out}}));
  if (r.input.empty() == r.images.empty())
    return Error{ErrorCode::bad_argument, "send needs embeddings or images, and not both",
                 "give --input FILE, or --images with files and folders"};
  PACO_ASSIGN(const auto client, connect(r.server));
  if (!r.input.empty()) PACO_TRY(check_record(r, *client));
  PACO_ASSIGN(const auto source, r.images.empty() ? send_embeddings(r.input, r.block, r.key_prefix)
                                                  : send_images(r.images, r.block, r.key_prefix));
  std::optional<core::AtomicFile> out;
  if (!r.out.empty()) {
    PACO_ASSIGN(out, core::AtomicFile::create(r.out));
  }
  std::uint64_t sent = 0, repeated = 0, created = 0;
  bool waited = false;
  const double start = context.clock();
  context.progress->start("send", "samples", source->total());
  while (!context.stop.stop_requested()) {
    PACO_ASSIGN(SendBlock block, source->next());
    if (block.samples == 0) break;
    const std::string path = fmt::format("/v1/streams/{}/samples{}", r.server.stream, block.query);
    PACO_ASSIGN(const server::Reply reply,
                deliver_images(context, r, *client, path, *source, block, waited));
    const std::size_t rows = block.samples;
    if (reply.status != 200) {
      Error error = server::error_of(reply);
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
  Json skipped = Json::array();
  for (const SkippedFile& one : source->skipped()) {
    skipped.push_back({{"file", one.file}, {"why", one.why}});
    print_note(fmt::format("not sent: {}: {}", one.file, one.why));
  }
  if (!skipped.empty()) context.exit_code = 1;
  return print_result(
      context,
      Json{{"samples", sent},
           {"repeated", repeated},
           {"created", created},
           {"skipped", std::move(skipped)},
           {"seconds", seconds},
           {"samples_per_second", rate}},
      fmt::format("{} samples sent in {:.2f} s ({:.0f} a second), {} of them answered "
                  "by their key, {} started a category\n",
                  sent, seconds, rate, repeated, created));
}

}  // namespace

void add_send(Options& verb, Context& context) {
  verb.about(
      "Send embeddings or images to a stream of 'paco serve'.\n"
      "Images, and embeddings with --key-prefix, may be sent again after a stop or a lost server: "
      "nothing is decided twice. Images that cannot be read are left out and listed, with exit "
      "code "
      "1.");
  auto r = std::make_shared<SendArguments>();
  verb.add_text("--input", r->input, "embeddings, one row a sample; - is standard input");
  verb.add_texts("--images", r->images,
                 "image files, and folders of them, for a server that has an encoder");
  add_server(verb, r->server);
  verb.add_text("--key-prefix", r->key_prefix,
                "row i has the key PREFIXi, an image PREFIX and its path in the folder")
      .checked([](const std::string& text) {
        const bool plain = text.find_first_not_of(
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                               "UVWXYZ0123456789._-") == std::string::npos;
        return plain ? std::string() : std::string("letters, digits, '.', '_' and '-' only");
      });
  verb.add_text("--out", r->out, "a file for the decisions, one JSON object a line");
  add_count(verb, "--block", r->block, 1, 65'536, "samples in one request");
  add_count(verb, "--retries", r->retries, 0, 1'000'000,
            "how often to try again, a second apart, where the server is away or busy");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
