// The network side of the server: accepts connections, reads requests within limits, writes
// answers. Independent of streams. Boost.Beast implements the protocol; thousands of idle and slow
// connections need a little memory each and no thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paco/result.hpp"
#include "server/http.hpp"

namespace paco::server {

struct ListenerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8600;     // 0: any free one
  std::string certificate, key;  // PEM files; empty: no TLS
  int threads = 2;
  std::size_t connections = 10'000;  // further ones are refused
  int idle_seconds = 120;            // to receive the next request up to its header
  int body_seconds = 60;             // for a body, plus one second for every 64 KiB
  int stop_seconds = 8;              // for requests in progress when the server stops
  std::uint64_t bodies_bytes = std::uint64_t{2} << 30;  // of all requests being read
};

struct ListenerCounts {
  std::uint64_t accepted = 0, refused = 0, open = 0;
};

// Whether an address refers to this machine only.
bool is_loopback(const std::string& host);

class Listener {
 public:
  // Listens when it returns. `handler` outlives the listener.
  static Result<std::unique_ptr<Listener>> start(const ListenerOptions& options, Handler& handler);
  virtual ~Listener() = default;
  virtual std::uint16_t port() const = 0;
  virtual ListenerCounts counts() const = 0;
  // Reads certificate and key again, for new connections. If they cannot be used, the previous ones
  // remain in use.
  virtual Result<void> reload_certificate() = 0;
  // Stops accepting connections. Returns when all requests in progress are answered, or after a few
  // seconds.
  virtual void stop() = 0;
};

}  // namespace paco::server
