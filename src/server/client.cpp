#include "server/client.hpp"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/try.hpp"

namespace paco::server {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Tcp = net::ip::tcp;
using boost::system::error_code;

struct Address {
  bool tls = false;
  std::string host, port;
};

Result<Address> address_of(const std::string& text) {
  const auto bad = [&] {
    return Error{ErrorCode::bad_argument, fmt::format("'{}' is no address of a server", text),
                 "e.g. http://127.0.0.1:8600"};
  };
  Address out;
  std::string rest = text;
  if (rest.starts_with("https://")) {
    out.tls = true;
    rest.erase(0, 8);
  } else if (rest.starts_with("http://")) {
    rest.erase(0, 7);
  } else {
    return bad();
  }
  while (rest.ends_with('/')) rest.pop_back();
  const std::size_t colon = rest.rfind(':');
  const bool has_port = colon != std::string::npos && rest.find(']', colon) == std::string::npos;
  out.port = has_port ? rest.substr(colon + 1) : out.tls ? "443" : "80";
  out.host = rest.substr(0, has_port ? colon : rest.size());
  if (out.host.starts_with('[') && out.host.ends_with(']'))
    out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty() || out.port.empty()) return bad();
  return out;
}

template <class Stream>
class BeastClient final : public Client {
 public:
  BeastClient(Address address, std::string token)
      : address_(std::move(address)),
        token_(std::move(token)),
        tls_(net::ssl::context::tls_client) {
    error_code ignored;
    tls_.set_default_verify_paths(ignored);
    tls_.set_verify_mode(net::ssl::verify_peer, ignored);
  }

  Result<Reply> call(std::string_view method, const std::string& path, std::string_view body,
                     std::string_view type) override {
    PACO_TRY(send(method, path, body, type));
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    error_code error;
    http::read(*stream_, buffer_, parser, error);
    if (error) return lost(error);
    if (!parser.get().keep_alive()) drop();
    return Reply{static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
  }

  Result<Reply> lines(const std::string& path,
                      const std::function<bool(std::string_view)>& line) override {
    PACO_TRY(send("GET", path, {}, {}));
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    error_code error;
    http::read_header(*stream_, buffer_, parser, error);
    if (error) return lost(error);
    Reply reply{static_cast<int>(parser.get().result_int()), {}};
    std::string kept;
    std::array<char, 8192> piece;
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      http::read_some(*stream_, buffer_, parser, error);
      if (error == http::error::need_buffer) error = {};
      if (error) return lost(error);
      kept.append(piece.data(), piece.size() - parser.get().body().size);
      if (reply.status != 200) continue;
      for (std::size_t end = kept.find('\n'); end != std::string::npos; end = kept.find('\n')) {
        if (!line(std::string_view(kept).substr(0, end))) {
          drop();
          return reply;
        }
        kept.erase(0, end + 1);
      }
    }
    if (reply.status == 200) return lost(http::make_error_code(http::error::end_of_stream));
    reply.body = std::move(kept);
    return reply;
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Stream, Tcp::socket>;

  Error lost(error_code error) {
    drop();
    return {ErrorCode::io,
            fmt::format("{}:{} does not answer: {}", address_.host, address_.port, error.message()),
            "is 'paco serve' running there?"};
  }

  void drop() {
    stream_.reset();
    buffer_.clear();
  }

  Result<void> connect() {
    if (stream_) return {};
    error_code error;
    Tcp::resolver resolver(context_);
    const auto found = resolver.resolve(address_.host, address_.port, error);
    if (error) return lost(error);
    if constexpr (kTls) {
      stream_.emplace(context_, tls_);
      net::connect(stream_->lowest_layer(), found, error);
      if (error) return lost(error);
      SSL_set_tlsext_host_name(stream_->native_handle(), address_.host.c_str());
      stream_->set_verify_callback(net::ssl::host_name_verification(address_.host));
      stream_->handshake(net::ssl::stream_base::client, error);
    } else {
      stream_.emplace(context_);
      net::connect(*stream_, found, error);
    }
    if (error) return lost(error);
    stream_->lowest_layer().set_option(Tcp::no_delay(true), error);
    return {};
  }

  Result<void> send(std::string_view method, const std::string& path, std::string_view body,
                    std::string_view type) {
    PACO_TRY(connect());
    http::request<http::string_body> request;
    request.method_string({method.data(), method.size()});
    request.target(path);
    request.version(11);
    request.set(http::field::host, address_.host + ":" + address_.port);
    if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
    if (!type.empty()) request.set(http::field::content_type, std::string(type));
    request.body() = body;
    request.prepare_payload();
    error_code error;
    http::write(*stream_, request, error);
    if (error) return lost(error);
    return {};
  }

  const Address address_;
  const std::string token_;
  net::io_context context_;
  net::ssl::context tls_;
  std::optional<Stream> stream_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace

Result<std::unique_ptr<Client>> Client::create(const std::string& address, std::string token) {
  PACO_ASSIGN(Address parsed, address_of(address));
  if (parsed.tls) {
    return std::unique_ptr<Client>(std::make_unique<BeastClient<net::ssl::stream<Tcp::socket>>>(
        std::move(parsed), std::move(token)));
  }
  return std::unique_ptr<Client>(
      std::make_unique<BeastClient<Tcp::socket>>(std::move(parsed), std::move(token)));
}

std::optional<std::size_t> refused_row(const Reply& reply) {
  if (reply.status != 400 && reply.status != 409) return std::nullopt;
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  const auto row = nlohmann::json::json_pointer("/error/row");
  if (!json.is_object() || !json.contains(row) || !json[row].is_number_unsigned())
    return std::nullopt;
  return json[row].get<std::size_t>();
}

Error error_of(const Reply& reply) {
  Error out{ErrorCode::io, fmt::format("the server answered {}", reply.status), ""};
  const auto json = nlohmann::json::parse(reply.body, nullptr, false);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) return out;
  const auto& error = json["error"];
  const auto text = [&](const char* key) {
    return error.contains(key) && error[key].is_string() ? error[key].get<std::string>()
                                                         : std::string();
  };
  if (reply.status == 404) out.code = ErrorCode::not_found;
  if (reply.status == 400) out.code = ErrorCode::bad_value;
  if (reply.status == 409) out.code = ErrorCode::mismatch;
  out.message = fmt::format("the server answered {}: {}", reply.status, text("message"));
  out.hint = text("hint");
  return out;
}

}  // namespace paco::server
