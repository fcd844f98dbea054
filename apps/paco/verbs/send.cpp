// `paco send`: sends embeddings, images or texts to a stream of `paco serve`, and prints the
// answers.
#include <fmt/format.h>

#include <optional>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/partial_file.hpp"
#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "shared/deliver.hpp"
#include "shared/send_blocks.hpp"
#include "shared/server_options.hpp"

namespace paco {
namespace {

struct SendArguments {
  ServerOptions server;
  std::string input, out, key_prefix;
  std::vector<std::string> images;
  std::string texts, column;
  std::size_t block = 256;
  int retries = 60;
};

// Checks the record of the embeddings against that of the stream's model.
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

Result<std::unique_ptr<SendBlocks>> open_blocks(const SendArguments& r) {
  if (!r.texts.empty()) return send_texts(r.texts, r.column, r.block, r.key_prefix);
  if (!r.images.empty()) return send_images(r.images, r.block, r.key_prefix);
  return send_embeddings(r.input, r.block, r.key_prefix);
}

Result<void> run(Context& context, const SendArguments& r) {
  PACO_TRY(check_outputs({{"--input", r.input}, {"--texts", r.texts}}, {{"--out", r.out}}));
  const int inputs = !r.input.empty() + !r.images.empty() + !r.texts.empty();
  if (inputs != 1)
    return Error{ErrorCode::bad_argument, "send needs embeddings, images or texts, one of them",
                 "give --input FILE, --texts FILE, or --images with files and folders"};
  PACO_ASSIGN(const auto client, connect(r.server));
  if (!r.input.empty()) PACO_TRY(check_record(r, *client));
  PACO_ASSIGN(const auto source, open_blocks(r));
  std::optional<core::AtomicFile> out;
  if (!r.out.empty()) {
    PACO_ASSIGN(out, core::AtomicFile::create(r.out));
  }
  DeliverOptions options{r.retries, !r.key_prefix.empty() || r.input.empty(), {}};
  if (out) options.see = [&](const Json& decision) { return out->write(decision.dump() + "\n"); };
  const double start = context.clock();
  PACO_ASSIGN(const Delivered done,
              deliver_all(context, *client, r.server.stream, *source, options));
  const auto [sent, repeated, created] = done;
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
      "Send embeddings, images or texts to a stream of 'paco serve'.\n"
      "Images, texts, and embeddings with --key-prefix may be sent again after a stop or a lost "
      "server: nothing is decided twice. What cannot be read is left out and listed, with exit "
      "code "
      "1.");
  auto r = std::make_shared<SendArguments>();
  verb.add_text("--input", r->input, "embeddings, one row a sample; - is standard input");
  verb.add_texts("--images", r->images,
                 "image files, and folders of them, for a server that has an encoder");
  verb.add_text(
      "--texts", r->texts,
      "a .csv, .tsv, .jsonl or .txt file of texts, for a server with an encoder of texts");
  verb.add_text("--column", r->column, "the column or key of the texts")
      .shown_default("text, or the only column");
  add_server(verb, r->server);
  verb.add_text(
          "--key-prefix", r->key_prefix,
          "row i has the key PREFIXi, an image PREFIX and its path in the folder, a text PREFIX "
          "and a hash of it")
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
