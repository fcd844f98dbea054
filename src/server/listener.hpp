// The network side of the server: accepts connections, reads requests within limits, writes
// answers. Knows nothing of streams. Boost.Beast does the protocol: thousands of idle and slow
// connections cost a little memory each and no thread.
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
  std::size_t connections = 10'000;  // more are refused
  int idle_seconds = 120;            // for the next request to come, with its header
  int body_seconds = 60;             // for a body, and a second more for every 64 KiB
  int stop_seconds = 8;              // for what is being answered when it stops
  std::uint64_t bodies_bytes = std::uint64_t{2} << 30;  // of all requests that are being read
};

struct ListenerCounts {
  std::uint64_t accepted = 0, refused = 0, open = 0;
};

// Whether an address means this machine alone.
bool is_loopback(const std::string& host);

class Listener {
 public:
  // Listens when it returns. `handler` outlives the listener.
  static Result<std::unique_ptr<Listener>> start(const ListenerOptions& options, Handler& handler);
  virtual ~Listener() = default;
  virtual std::uint16_t port() const = 0;
  virtual ListenerCounts counts() const = 0;
  // Reads certificate and key again, for the connections that come from now on. Those before stay
  // in use where the new ones cannot be used.
  virtual Result<void> reload_certificate() = 0;
  // Accepts no more, and ends when what is being answered is answered, or after a few seconds.
  virtual void stop() = 0;
};

}  // namespace paco::server
