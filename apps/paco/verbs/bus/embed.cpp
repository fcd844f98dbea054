// `paco bus embed`: a worker that turns the pictures of a stream into samples.
#include <fmt/format.h>
#include <unistd.h>

#include "bus/backbone_embedder.hpp"
#include "bus/program_embedder.hpp"
#include "core/try.hpp"
#include "shared/encoder.hpp"
#include "verbs/bus/bus_parts.hpp"

namespace paco {
namespace {

struct BusEmbedArguments {
  bus::ConnectOptions server;
  std::string stream, program;
  EncoderOptions encoder;
  bus::WorkerOptions options;
};

// An encoder in this process, or a program given by the user.
Result<std::unique_ptr<bus::PictureEmbedder>> open_network(const BusEmbedArguments& r,
                                                           std::stop_token stop) {
  if (r.encoder.given() == !r.program.empty()) {
    return Error{ErrorCode::bad_argument, "a worker needs one network",
                 "give --encoder FOLDER, --encoder NAME --weights FILE, or --program COMMAND"};
  }
  if (!r.encoder.given()) {
    PACO_ASSIGN(auto program, bus::ProgramEmbedder::start(r.program, std::move(stop)));
    return std::unique_ptr<bus::PictureEmbedder>(std::move(program));
  }
  PACO_ASSIGN(Encoder encoder, open_image_encoder(r.encoder));
  return std::unique_ptr<bus::PictureEmbedder>(
      std::make_unique<bus::BackboneEmbedder>(std::move(encoder.images)));
}

Result<void> run(Context& context, BusEmbedArguments& r) {
  PACO_ASSIGN(const auto connection, bus::Connection::open(r.server));
  PACO_ASSIGN(const bus::StreamSettings settings,
              bus::read_settings(*connection, r.stream, context.stop));
  PACO_ASSIGN(const auto embedder, open_network(r, context.stop));
  if (r.options.name.empty()) r.options.name = fmt::format("worker-{}", ::getpid());
  PACO_ASSIGN(const bus::WorkerOutcome out,
              bus::run_worker(connection, settings, *embedder, r.options, context.stop));
  const Json json = {{"stream", r.stream},
                     {"embedded", out.embedded},
                     {"rejected", out.rejected},
                     {"again", out.again},
                     {"busy_seconds", out.busy_seconds}};
  return print_result(
      context, json,
      fmt::format("embedded {} pictures ({:.1f} s in the network), rejected {}, {} came from "
                  "workers that did not answer\n",
                  out.embedded, out.busy_seconds, out.rejected, out.again));
}

}  // namespace

void add_bus_embed(Options& verb, Context& context) {
  Options& part = verb.add_part(
      "embed",
      "Embed the pictures of a stream, as one of any number of workers.\nThe network is a backbone "
      "on "
      "this CPU, or a program of your own: docs/how-to/scale.md has what it is given and must "
      "answer.");
  auto r = std::make_shared<BusEmbedArguments>();
  part.add_text("--stream", r->stream, "its name").required();
  part.add_text("--program", r->program, "a command: pictures in, embeddings out");
  add_encoder(part, r->encoder, "in its place");
  add_threads(part, r->encoder.settings.threads, "of the encoder; 0: all cores");
  add_count(part, "--batch", r->options.batch, 1, 65'536, "pictures given to it at once");
  add_count(part, "--answer-seconds", r->options.answer_seconds, 1, 86'400,
            "until pictures without an answer are given to another worker");
  add_count(part, "--tries", r->options.tries, 1, 1000,
            "workers that a picture is given to at most");
  part.add_flag("--keep-pictures", r->options.keep_pictures,
                "image files of up to 64 KiB go along with the sample");
  add_count(part, "--until-idle", r->options.until_idle, 0, 86'400,
            "end if nothing came for so many seconds; 0: never");
  part.add_text("--name", r->options.name, "in what it reports").shown_default("worker-PROCESS");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
