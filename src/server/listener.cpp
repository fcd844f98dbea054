#include "server/listener.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <limits>
#include <optional>
#include <thread>

#include "core/try.hpp"

namespace paco::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = net::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t kHeaderBytes = 16 * 1024;
// Beast of 1.74 takes the absence of a limit for a limit of nothing.
constexpr std::uint64_t kNoBodyLimit = std::numeric_limits<std::uint64_t>::max();
constexpr auto kPiecePause = std::chrono::milliseconds(50);
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

struct Shared {
  ListenerOptions options;
  Handler& handler;
  std::atomic<std::uint64_t> accepted{0}, refused{0}, open{0};
  std::atomic<bool> stopping{false};
  net::thread_pool workers{2};  // for bodies in pieces, which may wait
};

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

std::string head_of(const Response& response, bool keep_alive, bool chunked) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nServer: paco\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n",
      response.status, text_of(http::obsolete_reason(static_cast<http::status>(response.status))));
  bool cached = false, policy = false;
  for (const auto& [name, value] : response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
    cached = cached || name == "Cache-Control";
    policy = policy || name == "Content-Security-Policy";
  }
  if (!cached) head += "Cache-Control: no-store\r\n";
  if (!policy)
    head += "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\r\n";
  if (response.status != 204) head += fmt::format("Content-Type: {}\r\n", response.type);
  if (response.pieces != nullptr) {
    if (chunked) head += "Transfer-Encoding: chunked\r\n";
  } else if (response.status != 204) {
    head += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

Request request_of(const http::request<http::string_body>& message) {
  Request out;
  switch (message.method()) {
    case http::verb::get:
      out.verb = Verb::get;
      break;
    case http::verb::put:
      out.verb = Verb::put;
      break;
    case http::verb::post:
      out.verb = Verb::post;
      break;
    case http::verb::delete_:
      out.verb = Verb::remove;
      break;
    default:
      break;
  }
  const beast::string_view target = message.target();
  out.valid = split_target({target.data(), target.size()}, out.path, out.query);
  std::string type = text_of(message[http::field::content_type]);
  type = lower(type.substr(0, type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  out.content_type = std::move(type);
  out.authorization = text_of(message[http::field::authorization]);
  out.host = text_of(message[http::field::host]);
  out.origin = text_of(message[http::field::origin]);
  out.last_event_id = text_of(message["Last-Event-ID"]);
  return out;
}

// One connection, over TCP or TLS: reads a request, hands it over, writes the answer, and again.
template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, Shared& shared)
      : stream_(std::move(stream)), shared_(shared), pause_(stream_.get_executor()) {}
  ~Connection() { --shared_.open; }

  void run() {
    net::dispatch(stream_.get_executor(), [self = this->shared_from_this()] { self->begin(); });
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Stream, beast::tcp_stream>;

  class Call final : public Exchange {
   public:
    explicit Call(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
    void answer(std::function<Response()> make) override {
      auto connection = std::move(connection_);
      if (connection == nullptr) return;
      auto& executor = *connection;
      net::post(executor.stream_.get_executor(),
                [connection = std::move(connection), make = std::move(make)] {
                  connection->write(make());
                });
    }

   private:
    std::shared_ptr<Connection> connection_;
  };

  void begin() {
    if constexpr (kTls) {
      expire(std::chrono::seconds(10));
      stream_.async_handshake(net::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code error) {
                                if (!error) self->read_header();
                              });
    } else {
      read_header();
    }
  }

  void expire(std::chrono::seconds seconds) {
    beast::get_lowest_layer(stream_).expires_after(seconds);
  }

  void read_header() {
    if (shared_.stopping) return close();
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(kNoBodyLimit);
    expire(std::chrono::seconds(shared_.options.idle_seconds));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              self->have_header(error);
                            });
  }

  void have_header(error_code error) {
    if (error) return fail(error);
    const auto& message = parser_->get();
    const bool newer = message.version() == 11;
    keep_alive_ = parser_->keep_alive() && !shared_.stopping;
    chunked_ = newer;
    if (message.version() != 10 && !newer)
      return refuse(505, "unsupported", "only HTTP/1.0 and HTTP/1.1 are spoken here");
    request_ = request_of(message);
    if (newer && request_.host.empty()) return refuse(400, "bad_format", "a request without Host");
    if (!request_.valid) return refuse(400, "bad_format", "the address makes no sense");
    Handler::Admission admission = shared_.handler.admit(request_);
    if (admission.refused) {
      keep_alive_ = keep_alive_ && parser_->is_done();
      return write(std::move(admission.response));
    }
    const auto length = parser_->content_length();
    if (length && *length > admission.body_limit)
      return refuse(413, "too_large",
                    fmt::format("the body has {} bytes, at most {} are taken here", *length,
                                admission.body_limit));
    parser_->body_limit(admission.body_limit);
    expire(std::chrono::seconds(shared_.options.body_seconds +
                                static_cast<int>(length.value_or(0) >> 16)));
    if (beast::iequals(message[http::field::expect], "100-continue")) {
      static const std::string kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      net::async_write(stream_, net::buffer(kGoOn),
                       [self = this->shared_from_this()](error_code failed, std::size_t) {
                         if (!failed) self->read_body();
                       });
    } else {
      read_body();
    }
  }

  void read_body() {
    if (parser_->is_done()) return have_body({});
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code error, std::size_t) {
                       self->have_body(error);
                     });
  }

  void have_body(error_code error) {
    if (error) return fail(error);
    auto call = std::make_shared<Call>(this->shared_from_this());
    call->request = std::move(request_);
    call->request.body = std::move(parser_->get().body());
    beast::get_lowest_layer(stream_).expires_never();
    shared_.handler.handle(std::move(call));
  }

  // What the protocol or the clock ended; a peer that has gone needs no answer.
  void fail(error_code error) {
    if (error == http::error::header_limit)
      return refuse(431, "too_large",
                    fmt::format("the header has more than {} bytes", kHeaderBytes));
    if (error == http::error::body_limit)
      return refuse(413, "too_large", "the body is larger than is taken here");
    if (error == beast::error::timeout || error == http::error::end_of_stream ||
        error.category() != http::make_error_code(http::error::bad_line_ending).category()) {
      return close();
    }
    if (error == http::error::partial_message) return close();
    refuse(400, "bad_format", fmt::format("the request is not HTTP: {}", error.message()));
  }

  void refuse(int status, std::string_view code, std::string_view why) {
    keep_alive_ = false;
    write(shared_.handler.unreadable(status, code, why));
  }

  void write(Response response) {
    keep_alive_ = keep_alive_ && !shared_.stopping;
    if (response.pieces != nullptr && !chunked_) keep_alive_ = false;
    // As one piece: of two, Beast's TLS stream would never send a second one beyond 16 KiB.
    bytes_ = head_of(response, keep_alive_, chunked_) + response.body;
    response_ = std::move(response);
    response_.body.clear();
    expire(
        std::chrono::seconds(shared_.options.body_seconds + static_cast<int>(bytes_.size() >> 16)));
    net::async_write(stream_, net::buffer(bytes_),
                     [self = this->shared_from_this()](error_code error, std::size_t) {
                       if (error) return;
                       if (self->response_.pieces != nullptr) return self->next_piece();
                       self->written();
                     });
  }

  void written() {
    response_ = {};
    if (keep_alive_) return read_header();
    close();
  }

  // Asks for bytes on a worker, writes them here, and again; where there are none, a little later.
  void next_piece() {
    net::post(shared_.workers, [self = this->shared_from_this()] {
      Result<std::string> piece = self->response_.pieces->next();
      const bool ended = self->response_.pieces->ended();
      net::post(self->stream_.get_executor(), [self, piece = std::move(piece), ended]() mutable {
        if (!piece.ok() || self->shared_.stopping) return self->close();
        self->write_piece(std::move(piece).value(), ended);
      });
    });
  }

  void write_piece(std::string bytes, bool ended) {
    if (bytes.empty() && !ended) {
      pause_.expires_after(kPiecePause);
      pause_.async_wait([self = this->shared_from_this()](error_code error) {
        if (!error) self->next_piece();
      });
      return;
    }
    if (!chunked_) {
      bytes_ = std::move(bytes);
    } else {
      bytes_.clear();
      if (!bytes.empty()) bytes_ = fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
      if (ended) bytes_ += "0\r\n\r\n";
    }
    expire(std::chrono::seconds(shared_.options.body_seconds));
    net::async_write(stream_, net::buffer(bytes_),
                     [self = this->shared_from_this(), ended](error_code error, std::size_t) {
                       if (error) return;
                       ended ? self->written() : self->next_piece();
                     });
  }

  void close() {
    error_code ignored;
    if constexpr (kTls) {
      expire(std::chrono::seconds(2));
      stream_.async_shutdown([self = this->shared_from_this()](error_code) {});
    } else {
      beast::get_lowest_layer(stream_).socket().shutdown(Tcp::socket::shutdown_send, ignored);
      linger();
    }
  }

  // A peer that is still sending would lose the answer to a reset; so what it sends is read and
  // dropped for a moment.
  void linger() {
    expire(std::chrono::seconds(1));
    auto& socket = beast::get_lowest_layer(stream_);
    socket.async_read_some(net::buffer(dropped_),
                           [self = this->shared_from_this()](error_code error, std::size_t count) {
                             self->lingered_ += count;
                             if (!error && self->lingered_ < kMostDropped) self->linger();
                           });
  }

  static constexpr std::size_t kMostDropped = std::size_t{1} << 20;

  Stream stream_;
  Shared& shared_;
  net::steady_timer pause_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  Response response_;
  std::string bytes_;  // on their way out
  bool keep_alive_ = false;
  bool chunked_ = true;  // the peer knows chunks
  std::array<char, 2048> dropped_;
  std::size_t lingered_ = 0;
};

Error cannot_listen(const ListenerOptions& options, const std::string& why) {
  return {ErrorCode::io, fmt::format("cannot listen on {}:{}: {}", options.host, options.port, why),
          "another program may use this port: give another --port, or 0 for any free one"};
}

// Each connection is a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class BeastListener final : public Listener {
 public:
  BeastListener(const ListenerOptions& options, Handler& handler)
      : shared_{options, handler},
        context_(options.threads),
        acceptor_(context_),
        pause_(context_),
        tls_(net::ssl::context::tls_server) {}

  ~BeastListener() override { stop(); }

  Result<void> listen() {
    raise_descriptor_limit();
    const ListenerOptions& options = shared_.options;
    PACO_TRY(use_certificate());
    error_code error;
    const auto address =
        net::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
    if (error) {
      return Error{ErrorCode::bad_argument, fmt::format("'{}' is no address", options.host),
                   "give a number: 127.0.0.1, 0.0.0.0, ::1"};
    }
    const Tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (error) return cannot_listen(options, error.message());
    port_ = acceptor_.local_endpoint(error).port();
    accept();
    for (int i = 0; i < options.threads; ++i) threads_.emplace_back([this] { context_.run(); });
    return {};
  }

  std::uint16_t port() const override { return port_; }
  ListenerCounts counts() const override {
    return {shared_.accepted, shared_.refused, shared_.open};
  }

  void stop() override {
    if (threads_.empty()) return;
    shared_.stopping = true;
    net::post(context_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    // What is being answered is given a moment; idle connections are cut.
    for (int i = 0; i < 20 && shared_.open > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    shared_.workers.stop();
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
    shared_.workers.join();
    threads_.clear();
  }

 private:
  Result<void> use_certificate() {
    const ListenerOptions& options = shared_.options;
    if (options.certificate.empty()) return {};
    error_code error;
    tls_.set_options(net::ssl::context::default_workarounds | net::ssl::context::no_tlsv1 |
                     net::ssl::context::no_tlsv1_1 | net::ssl::context::single_dh_use);
    tls_.use_certificate_chain_file(options.certificate, error);
    if (error) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: no certificate: {}", options.certificate, error.message()),
                   "give a PEM file with the server's certificate and those above it"};
    }
    tls_.use_private_key_file(options.key, net::ssl::context::pem, error);
    if (error) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: no key of this certificate: {}", options.key, error.message()),
                   "give the PEM file of the certificate's private key"};
    }
    return {};
  }

  void accept() {
    acceptor_.async_accept(net::make_strand(context_),
                           [this](error_code error, Tcp::socket socket) {
                             if (error == net::error::operation_aborted || shared_.stopping) return;
                             if (error) {  // no descriptor left: a little later
                               pause_.expires_after(kAcceptPause);
                               pause_.async_wait([this](error_code) { accept(); });
                               return;
                             }
                             take(std::move(socket));
                             accept();
                           });
  }

  void take(Tcp::socket socket) {
    error_code ignored;
    if (++shared_.open > shared_.options.connections) {
      --shared_.open;
      ++shared_.refused;
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n"
          "Connection: close\r\n\r\n";
      socket.non_blocking(true, ignored);
      socket.send(net::buffer(kFull), 0, ignored);
      return;
    }
    ++shared_.accepted;
    socket.set_option(Tcp::no_delay(true), ignored);
    if (shared_.options.certificate.empty()) {
      std::make_shared<Connection<beast::tcp_stream>>(beast::tcp_stream(std::move(socket)), shared_)
          ->run();
    } else {
      using Tls = beast::ssl_stream<beast::tcp_stream>;
      std::make_shared<Connection<Tls>>(Tls(std::move(socket), tls_), shared_)->run();
    }
  }

  Shared shared_;
  net::io_context context_;
  Tcp::acceptor acceptor_;
  net::steady_timer pause_;
  net::ssl::context tls_;
  std::vector<std::thread> threads_;
  std::uint16_t port_ = 0;
};

}  // namespace

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  error_code error;
  const auto address = net::ip::make_address(host, error);
  return !error && address.is_loopback();
}

Result<std::unique_ptr<Listener>> Listener::start(const ListenerOptions& options,
                                                  Handler& handler) {
  auto listener = std::make_unique<BeastListener>(options, handler);
  PACO_TRY(listener->listen());
  return std::unique_ptr<Listener>(std::move(listener));
}

}  // namespace paco::server
