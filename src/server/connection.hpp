// One connection of the listener, over TCP or TLS: reads a request within limits, passes it to the
// handler, writes the answer, and repeats.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "server/http_message.hpp"
#include "server/listener.hpp"

namespace paco::server {

// Data shared by all connections of a listener.
struct Shared {
  ListenerOptions options;
  Handler& handler;
  std::atomic<std::uint64_t> accepted{0}, refused{0}, open{0};
  std::atomic<std::uint64_t> in_flight{0};  // from the end of the header to the end of the answer
  std::atomic<std::uint64_t> held{0};       // bytes reserved for their bodies
  std::atomic<bool> stopping{false};
  boost::asio::thread_pool workers{2};  // for bodies in pieces; they may block
};

template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
  using error_code = boost::system::error_code;

 public:
  Connection(Stream stream, Shared& shared)
      : stream_(std::move(stream)), shared_(shared), pause_(stream_.get_executor()) {}
  ~Connection() {
    end_request();
    --shared_.open;
  }

  void run() {
    boost::asio::dispatch(stream_.get_executor(),
                          [self = this->shared_from_this()] { self->begin(); });
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Stream, boost::beast::tcp_stream>;
  static constexpr std::uint32_t kHeaderBytes = 16 * 1024;
  // Beast 1.74 treats a missing limit as a limit of 0.
  static constexpr std::uint64_t kNoBodyLimit = std::numeric_limits<std::uint64_t>::max();
  static constexpr auto kPiecePause = std::chrono::milliseconds(50);

  class Call final : public Exchange {
   public:
    explicit Call(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
    void answer(std::function<Response()> make) override {
      auto connection = std::move(connection_);
      if (connection == nullptr) return;
      auto& executor = *connection;
      boost::asio::post(executor.stream_.get_executor(),
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
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code error) {
                                if (!error) self->read_header();
                              });
    } else {
      read_header();
    }
  }

  void expire(std::chrono::seconds seconds) {
    boost::beast::get_lowest_layer(stream_).expires_after(seconds);
  }

  void read_header() {
    if (shared_.stopping) return close();
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(kNoBodyLimit);
    expire(std::chrono::seconds(shared_.options.idle_seconds));
    boost::beast::http::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](error_code error, std::size_t) {
          self->have_header(error);
        });
  }

  void have_header(error_code error) {
    if (error) return fail(error);
    const auto& message = parser_->get();
    request_ = request_of(message);
    request_.peer = peer();
    keep_alive_ = parser_->keep_alive() && !shared_.stopping;
    chunked_ = message.version() == 11;
    head_only_ = request_.head_only;
    if (const auto fault = fault_of(message, request_))
      return refuse(fault->status, fault->code, fault->why);
    begin_request();
    Handler::Admission admission = shared_.handler.admit(request_);
    ticket_ = std::move(admission.ticket);
    if (admission.refused) {
      keep_alive_ = keep_alive_ && parser_->is_done();
      return write(std::move(admission.response));
    }
    const auto length = parser_->content_length();
    if (length && *length > admission.body_limit)
      return refuse(413, "too_large",
                    fmt::format("the body has {} bytes, at most {} are taken here", *length,
                                admission.body_limit));
    if (!hold(length.value_or(parser_->chunked() ? admission.body_limit : 0)))
      return refuse(503, "unavailable", "the bodies of other requests take all the room there is");
    parser_->body_limit(admission.body_limit);
    expire(std::chrono::seconds(shared_.options.body_seconds +
                                static_cast<int>(length.value_or(0) >> 16)));
    if (boost::beast::iequals(message[boost::beast::http::field::expect], "100-continue")) {
      static const std::string kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      boost::asio::async_write(stream_, boost::asio::buffer(kGoOn),
                               [self = this->shared_from_this()](error_code failed, std::size_t) {
                                 if (!failed) self->read_body();
                               });
    } else {
      read_body();
    }
  }

  void read_body() {
    if (parser_->is_done()) return have_body({});
    boost::beast::http::async_read(stream_, buffer_, *parser_,
                                   [self = this->shared_from_this()](
                                       error_code error, std::size_t) { self->have_body(error); });
  }

  void have_body(error_code error) {
    if (error) return fail(error);
    auto call = std::make_shared<Call>(this->shared_from_this());
    call->request = std::move(request_);
    call->request.body = std::move(parser_->get().body());
    call->ticket = ticket_;
    boost::beast::get_lowest_layer(stream_).expires_never();
    shared_.handler.handle(std::move(call));
  }

  // Handles errors of the protocol and timeouts; a peer that has disconnected gets no answer.
  void fail(error_code error) {
    if (error == boost::beast::http::error::header_limit)
      return refuse(431, "too_large",
                    fmt::format("the header has more than {} bytes", kHeaderBytes));
    if (error == boost::beast::http::error::body_limit)
      return refuse(413, "too_large", "the body is larger than is taken here");
    if (error == boost::beast::error::timeout ||
        error == boost::beast::http::error::end_of_stream ||
        error.category() !=
            boost::beast::http::make_error_code(boost::beast::http::error::bad_line_ending)
                .category()) {
      return close();
    }
    if (error == boost::beast::http::error::partial_message) return close();
    refuse(400, "bad_format", fmt::format("the request is not HTTP: {}", error.message()));
  }

  void refuse(int status, std::string_view code, std::string_view why) {
    keep_alive_ = false;
    write(shared_.handler.unreadable(status, code, why));
  }

  std::string peer() {
    error_code error;
    const auto end = boost::beast::get_lowest_layer(stream_).socket().remote_endpoint(error);
    return error ? std::string() : end.address().to_string();
  }

  void begin_request() {
    in_flight_ = true;
    ++shared_.in_flight;
  }

  // Reserves memory for a body; a body of unknown length reserves the limit. The only body always
  // gets its memory.
  bool hold(std::uint64_t bytes) {
    held_ = bytes;
    const std::uint64_t before = shared_.held.fetch_add(bytes);
    if (before == 0 || before + bytes <= shared_.options.bodies_bytes) return true;
    give_back();
    return false;
  }

  void give_back() {
    shared_.held -= held_;
    held_ = 0;
  }

  void end_request() {
    give_back();
    if (in_flight_) --shared_.in_flight;
    in_flight_ = false;
  }

  void write(Response response) {
    give_back();
    shared_.handler.answered(ticket_.get(), response);
    ticket_.reset();
    keep_alive_ = keep_alive_ && !shared_.stopping;
    if (head_only_) {
      bytes_ = head_of(response, keep_alive_, chunked_);
      response.pieces = nullptr;
    } else {
      if (response.pieces != nullptr && !chunked_) keep_alive_ = false;
      // Send header and body as one buffer: Beast's TLS stream would never send a second buffer
      // beyond 16 KiB.
      bytes_ = head_of(response, keep_alive_, chunked_) + response.body;
    }
    response_ = std::move(response);
    response_.body.clear();
    expire(
        std::chrono::seconds(shared_.options.body_seconds + static_cast<int>(bytes_.size() >> 16)));
    boost::asio::async_write(stream_, boost::asio::buffer(bytes_),
                             [self = this->shared_from_this()](error_code error, std::size_t) {
                               if (error) return;
                               if (self->response_.pieces != nullptr) return self->next_piece();
                               self->written();
                             });
  }

  void written() {
    response_ = {};
    end_request();
    if (keep_alive_) return read_header();
    close();
  }

  // Fetches bytes on a worker thread and writes them on this one, repeatedly. If there are none,
  // waits before trying again.
  void next_piece() {
    boost::asio::post(shared_.workers, [self = this->shared_from_this()] {
      Result<std::string> piece = self->response_.pieces->next();
      const bool ended = self->response_.pieces->ended();
      boost::asio::post(self->stream_.get_executor(),
                        [self, piece = std::move(piece), ended]() mutable {
                          if (!piece.ok()) return self->close();
                          if (self->shared_.stopping && self->response_.pieces->endless()) {
                            self->keep_alive_ = false;
                            return self->write_piece({}, true);
                          }
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
    boost::asio::async_write(
        stream_, boost::asio::buffer(bytes_),
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
      boost::beast::get_lowest_layer(stream_).socket().shutdown(
          boost::asio::ip::tcp::socket::shutdown_send, ignored);
      linger();
    }
  }

  // A reset would make a peer that is still sending lose the answer. So what it sends is read and
  // discarded for a moment.
  void linger() {
    expire(std::chrono::seconds(1));
    auto& socket = boost::beast::get_lowest_layer(stream_);
    socket.async_read_some(boost::asio::buffer(dropped_),
                           [self = this->shared_from_this()](error_code error, std::size_t count) {
                             self->lingered_ += count;
                             if (!error && self->lingered_ < kMostDropped) self->linger();
                           });
  }

  static constexpr std::size_t kMostDropped = std::size_t{1} << 20;

  Stream stream_;
  Shared& shared_;
  boost::asio::steady_timer pause_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Request request_;
  std::shared_ptr<Ticket> ticket_;
  Response response_;
  std::string bytes_;  // to be written
  bool keep_alive_ = false;
  bool chunked_ = true;  // the peer supports chunked encoding
  bool head_only_ = false;
  bool in_flight_ = false;
  std::uint64_t held_ = 0;  // bytes reserved for the body
  std::array<char, 2048> dropped_;
  std::size_t lingered_ = 0;
};

}  // namespace paco::server
