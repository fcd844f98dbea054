// A connection to the servers of the bus (NATS with JetStream), and the conversion of their answers
// to errors.
//
// If a server goes away, the connection looks for another one. retry() repeats a call while its
// failure may be temporary (no leader yet, no answer, a lost server), until the patience ends or
// the stop token is set. Credentials and TLS settings are passed to NATS unchanged.
//
// Thread rule: any number of threads may use one connection.
#pragma once

#include <nats/nats.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "bus/log.hpp"
#include "paco/result.hpp"

namespace paco::bus {

inline constexpr std::int64_t kSecond = 1'000'000'000;  // NATS counts nanoseconds

struct ConnectOptions {
  std::string servers = "nats://127.0.0.1:4222";  // one or more, with commas
  std::string credentials;                        // file with a user's JWT and seed
  std::string tls_ca, tls_certificate, tls_key;   // PEM files
  double patience = 60;                           // how long to wait without an answer, in seconds
};

struct MessageEnd {
  void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
};
using Message = std::unique_ptr<natsMsg, MessageEnd>;

std::string_view bytes_of(const natsMsg* message);
// Its sequence number in the JetStream stream; 0 if it has none.
std::uint64_t sequence_of(natsMsg* message);
LogMessage log_message(Message message);

class Connection {
 public:
  // Fails at once if no server answers or the credentials are refused.
  static Result<std::shared_ptr<Connection>> open(const ConnectOptions& options);
  ~Connection();

  natsConnection* raw() const { return connection_; }
  jsCtx* js() const { return js_; }
  const std::string& servers() const { return shown_; }  // without passwords
  double patience() const { return options_.patience; }
  std::int64_t most_payload() const;
  // How often the connection changed to another server. Messages that were pending may be lost.
  std::uint64_t changes() const;

  // `call` returns a status of the library; `what` begins the message of an error.
  using Call = std::function<natsStatus(jsErrCode*)>;
  Result<void> retry(const std::string& what, const std::stop_token& stop, const Call& call) const;
  // The same without retries.
  Result<void> once(const std::string& what, const Call& call) const;

  Error error(const std::string& what, natsStatus status, jsErrCode code) const;
  // Whether a retry may succeed.
  static bool may_pass(natsStatus status, jsErrCode code);

 private:
  explicit Connection(ConnectOptions options);
  Result<void> connect();

  const ConnectOptions options_;
  std::string shown_;
  natsConnection* connection_ = nullptr;
  jsCtx* js_ = nullptr;
};

// Returns after `milliseconds`, or as soon as the token is set.
void pause(int milliseconds, const std::stop_token& stop);

}  // namespace paco::bus
