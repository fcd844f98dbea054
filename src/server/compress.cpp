#include "server/compress.hpp"

#include <algorithm>

#include "server/gzip.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kSmallestCompressed = 1024;  // bytes of an answer

class GzipPieces final : public Pieces {
 public:
  explicit GzipPieces(std::shared_ptr<Pieces> plain)
      : plain_(std::move(plain)), stream_(plain_->endless()) {}
  bool ready() const { return stream_.ready(); }
  Result<std::string> next() override {
    Result<std::string> piece = plain_->next();
    if (!piece.ok()) return piece;
    return stream_.add(*piece, plain_->ended());
  }
  bool ended() const override { return plain_->ended(); }
  bool endless() const override { return plain_->endless(); }

 private:
  std::shared_ptr<Pieces> plain_;
  GzipStream stream_;
};

}  // namespace

void compress(Response& response, const Request& request) {
  const bool is_text = response.type == "application/json" || response.type.starts_with("text/");
  const bool is_done = std::any_of(response.headers.begin(), response.headers.end(),
                                   [](const auto& field) { return field.first == "Vary"; });
  const bool is_short = response.pieces == nullptr && response.body.size() < kSmallestCompressed;
  if (!is_text || is_done || is_short) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!request.takes_gzip) return;
  if (response.pieces != nullptr) {
    auto smaller = std::make_shared<GzipPieces>(response.pieces);
    if (!smaller->ready()) return;
    response.pieces = std::move(smaller);
  } else {
    std::string smaller = gzip(response.body, 1);
    if (smaller.empty()) return;
    response.body = std::move(smaller);
  }
  response.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace paco::server
