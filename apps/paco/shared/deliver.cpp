#include "shared/deliver.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "core/try.hpp"

namespace paco {
namespace {

// The server's message about a sample, without the sample's number in the request, which means
// nothing to a user who sent files.
std::string fault_of(const server::Reply& reply, std::size_t row) {
  const std::string message = server::error_of(reply).message;
  const std::string number = fmt::format("sample {}", row);
  const std::size_t at = message.find(number);
  if (at == std::string::npos) return message;
  const std::size_t words = message.find_first_not_of(": ", at + number.size());
  return words == std::string::npos ? message : message.substr(words);
}

class Delivery {
 public:
  Delivery(Context& context, server::Client& client, const DeliverOptions& options)
      : context_(context), client_(client), options_(options) {}

  // Sends a block; samples that the server refuses are removed and the rest is sent again.
  Result<server::Reply> send(const std::string& path, SendBlocks& blocks, SendBlock& block) {
    for (;;) {
      PACO_ASSIGN(server::Reply reply, send_once(path, block));
      const std::optional<std::size_t> row = server::refused_row(reply);
      if (!row || *row >= block.files.size()) return reply;
      blocks.skip(block.files[*row], fault_of(reply, *row));
      block.drop(*row);
      if (block.samples == 0) return server::Reply{200, R"({"decisions":[]})"};
    }
  }

 private:
  // Repeats until there is an answer. If the block may have arrived, it is sent again only if
  // `safe`.
  Result<server::Reply> send_once(const std::string& path, const SendBlock& block) {
    for (int attempt = 0;; ++attempt) {
      Result<server::Reply> reply = client_.call("POST", path, block.body, block.type);
      const bool busy = reply.ok() && (reply->status == 503 || reply->status == 429);
      const bool gone = !reply.ok() && reply.error().code == ErrorCode::io && options_.safe;
      if ((!busy && !gone) || attempt >= options_.retries) return reply;
      if (!waited_) print_note("the server is not ready; trying again every second");
      waited_ = true;
      for (int i = 0; i < 10; ++i) {
        if (context_.stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }

  Context& context_;
  server::Client& client_;
  const DeliverOptions& options_;
  bool waited_ = false;
};

}  // namespace

Result<Delivered> deliver_all(Context& context, server::Client& client, const std::string& stream,
                              SendBlocks& blocks, const DeliverOptions& options) {
  Delivery delivery(context, client, options);
  Delivered out;
  context.progress->start("send", "samples", blocks.total());
  while (!context.stop.stop_requested()) {
    PACO_ASSIGN(SendBlock block, blocks.next());
    if (block.samples == 0) break;
    const std::string path = fmt::format("/v1/streams/{}/samples{}", stream, block.query);
    PACO_ASSIGN(const server::Reply reply, delivery.send(path, blocks, block));
    const std::size_t rows = block.samples;
    if (reply.status != 200) {
      Error error = server::error_of(reply);
      error.message = fmt::format("{}: rows {} to {}: {}", blocks.name(), out.sent,
                                  out.sent + rows - 1, error.message);
      return error;
    }
    const Json json = Json::parse(reply.body, nullptr, false);
    if (!json.is_object() || !json.contains("decisions") || json["decisions"].size() != rows)
      return Error{ErrorCode::bad_format, "the server answered something else",
                   "is it 'paco serve'?"};
    for (const Json& decision : json["decisions"]) {
      out.repeated += decision.value("repeated", false);
      out.created += decision.value("verdict", "") == "created";
      if (options.see) PACO_TRY(options.see(decision));
    }
    out.sent += rows;
    context.progress->update(out.sent);
  }
  context.progress->finish();
  return out;
}

}  // namespace paco
