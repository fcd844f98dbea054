#include "server/listener.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <mutex>
#include <thread>

#include "core/try.hpp"
#include "server/connection.hpp"

namespace paco::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
using Tcp = net::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr auto kStopPause = std::chrono::milliseconds(10);

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
        work_(context_.get_executor()),
        acceptor_(net::make_strand(context_)),
        pause_(acceptor_.get_executor()) {}

  ~BeastListener() override { stop(); }

  Result<void> listen() {
    raise_descriptor_limit();
    const ListenerOptions& options = shared_.options;
    PACO_TRY(reload_certificate());
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
    net::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    // Finish the requests in progress; close connections without a request.
    const auto patience = std::chrono::seconds(shared_.options.stop_seconds);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (shared_.in_flight > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(kStopPause);
    shared_.workers.stop();
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
    shared_.workers.join();
    threads_.clear();
  }

  Result<void> reload_certificate() override {
    const ListenerOptions& options = shared_.options;
    if (options.certificate.empty()) return {};
    error_code error;
    auto fresh = std::make_shared<net::ssl::context>(net::ssl::context::tls_server);
    net::ssl::context& tls = *fresh;
    tls.set_options(net::ssl::context::default_workarounds | net::ssl::context::no_tlsv1 |
                    net::ssl::context::no_tlsv1_1 | net::ssl::context::single_dh_use);
    tls.use_certificate_chain_file(options.certificate, error);
    if (error) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: no certificate: {}", options.certificate, error.message()),
                   "give a PEM file with the server's certificate and those above it"};
    }
    tls.use_private_key_file(options.key, net::ssl::context::pem, error);
    if (error) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: no key of this certificate: {}", options.key, error.message()),
                   "give the PEM file of the certificate's private key"};
    }
    const std::lock_guard lock(tls_mutex_);
    tls_ = std::move(fresh);
    return {};
  }

 private:
  std::shared_ptr<net::ssl::context> tls() {
    const std::lock_guard lock(tls_mutex_);
    return tls_;
  }

  void accept() {
    acceptor_.async_accept(net::make_strand(context_),
                           [this](error_code error, Tcp::socket socket) {
                             if (error == net::error::operation_aborted || shared_.stopping) return;
                             if (error) {  // no descriptor left: retry later
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
      std::make_shared<Connection<Tls>>(Tls(std::move(socket), *tls()), shared_)->run();
    }
  }

  Shared shared_;
  net::io_context context_;
  // After the acceptor is closed, the threads run until all requests in flight are answered.
  net::executor_work_guard<net::io_context::executor_type> work_;
  Tcp::acceptor acceptor_;
  net::steady_timer pause_;
  std::mutex tls_mutex_;
  std::shared_ptr<net::ssl::context> tls_;  // null if TLS is not used
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
