#include "bus/connection.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "bus/reliable_publisher.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

// A request whose server dies is never answered: retry() sends it again after this time.
constexpr std::int64_t kAnswerMs = 2000;

struct OptionsEnd {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) out.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

// Error texts are logged, so they must not contain passwords.
std::string without_password(const std::string& url) {
  const std::size_t host = url.rfind('@');
  if (host == std::string::npos) return url;
  const std::size_t scheme = url.find("://");
  return url.substr(0, scheme == std::string::npos ? 0 : scheme + 3) + url.substr(host + 1);
}

// Check the files here: NATS reports a missing file with an OpenSSL message, or not at all.
Result<void> check_files(const ConnectOptions& options) {
  const std::pair<const char*, const std::string*> files[] = {
      {"--credentials", &options.credentials},
      {"--tls-ca", &options.tls_ca},
      {"--tls-certificate", &options.tls_certificate},
      {"--tls-key", &options.tls_key}};
  for (const auto& [option, path] : files) {
    if (path->empty() || core::path_kind(*path) == core::PathKind::file) continue;
    return Error{ErrorCode::not_found, fmt::format("{} {}: no such file", option, *path),
                 "give a file, or leave the option out"};
  }
  if (options.tls_certificate.empty() == options.tls_key.empty()) return {};
  return Error{ErrorCode::bad_argument, "the certificate of a client and its key belong together",
               "give both --tls-certificate and --tls-key, or neither"};
}

}  // namespace

std::string_view bytes_of(const natsMsg* message) {
  return {natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))};
}

std::uint64_t sequence_of(natsMsg* message) {
  if (const std::uint64_t direct = natsMsg_GetSequence(message); direct > 0) return direct;
  jsMsgMetaData* meta = nullptr;
  if (natsMsg_GetMetaData(&meta, message) != NATS_OK) return 0;
  const std::uint64_t sequence = meta->Sequence.Stream;
  jsMsgMetaData_Destroy(meta);
  return sequence;
}

LogMessage log_message(Message message) {
  const std::uint64_t sequence = sequence_of(message.get());
  const std::string_view bytes = bytes_of(message.get());
  return {sequence, bytes, std::shared_ptr<const void>(std::move(message))};
}

void pause(int milliseconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::milliseconds(milliseconds), [] { return false; });
}

Connection::Connection(ConnectOptions options) : options_(std::move(options)) {
  for (const std::string& server : split(options_.servers))
    shown_ += (shown_.empty() ? "" : ",") + without_password(server);
}

Connection::~Connection() {
  if (js_ != nullptr) jsCtx_Destroy(js_);
  if (connection_ != nullptr) natsConnection_Destroy(connection_);
}

Result<std::shared_ptr<Connection>> Connection::open(const ConnectOptions& options) {
  std::shared_ptr<Connection> connection(new Connection(options));
  PACO_TRY(connection->connect());
  return connection;
}

Result<void> Connection::connect() {
  const std::vector<std::string> servers = split(options_.servers);
  std::vector<const char*> urls;
  for (const std::string& server : servers) urls.push_back(server.c_str());
  if (urls.empty()) {
    return Error{ErrorCode::bad_argument, "there is no server to connect to",
                 "give --server nats://HOST:PORT"};
  }
  PACO_TRY(check_files(options_));
  natsOptions* made = nullptr;
  natsStatus s = natsOptions_Create(&made);
  const std::unique_ptr<natsOptions, OptionsEnd> o(made);
  if (s == NATS_OK) s = natsOptions_SetServers(made, urls.data(), static_cast<int>(urls.size()));
  if (s == NATS_OK) s = natsOptions_SetName(made, "paco");
  if (s == NATS_OK) s = natsOptions_SetTimeout(made, 3000);
  if (s == NATS_OK) s = natsOptions_SetMaxReconnect(made, -1);
  if (s == NATS_OK) s = natsOptions_SetReconnectWait(made, 100);
  if (s == NATS_OK) s = natsOptions_SetReconnectJitter(made, 50, 50);
  if (s == NATS_OK) s = natsOptions_SetPingInterval(made, 2000);
  // Ignore errors in the background: the call that waits reports them. The library's default
  // handler would print them.
  if (s == NATS_OK) {
    s = natsOptions_SetErrorHandler(
        made, [](natsConnection*, natsSubscription*, natsStatus, void*) {}, nullptr);
  }
  if (s == NATS_OK && !options_.credentials.empty())
    s = natsOptions_SetUserCredentialsFromFiles(made, options_.credentials.c_str(), nullptr);
  const bool tls = !options_.tls_ca.empty() || !options_.tls_certificate.empty();
  if (s == NATS_OK && tls) s = natsOptions_SetSecure(made, true);
  if (s == NATS_OK && !options_.tls_ca.empty())
    s = natsOptions_LoadCATrustedCertificates(made, options_.tls_ca.c_str());
  if (s == NATS_OK && !options_.tls_certificate.empty()) {
    s = natsOptions_LoadCertificatesChain(made, options_.tls_certificate.c_str(),
                                          options_.tls_key.c_str());
  }
  if (s == NATS_OK) s = natsConnection_Connect(&connection_, made);
  jsOptions js;
  jsOptions_Init(&js);
  js.Wait = kAnswerMs;
  if (s == NATS_OK) s = natsConnection_JetStream(&js_, connection_, &js);
  if (s != NATS_OK) return error("connecting", s, jsErrCode(0));
  return {};
}

std::int64_t Connection::most_payload() const { return natsConnection_GetMaxPayload(connection_); }

std::uint64_t Connection::changes() const {
  natsStatistics* counts = nullptr;
  std::uint64_t found = 0;
  if (natsStatistics_Create(&counts) == NATS_OK &&
      natsConnection_GetStats(connection_, counts) == NATS_OK) {
    natsStatistics_GetCounts(counts, nullptr, nullptr, nullptr, nullptr, &found);
  }
  natsStatistics_Destroy(counts);
  return found;
}

bool Connection::may_pass(natsStatus status, jsErrCode code) {
  switch (code) {
    case JSClusterNotAvailErr:
    case JSClusterNotLeaderErr:
    case JSClusterNoPeersErr:
    case JSStreamOfflineErr:
    case JSInsufficientResourcesErr:
    case JSConsumerOfflineErr:
      return true;
    default:
      break;
  }
  switch (status) {
    case NATS_TIMEOUT:
    case NATS_NO_RESPONDERS:
    case NATS_NO_SERVER:
    case NATS_IO_ERROR:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_STALE_CONNECTION:
      return true;
    default:
      return false;
  }
}

Error Connection::error(const std::string& what, natsStatus status, jsErrCode code) const {
  natsStatus last = NATS_OK;
  const char* said = nats_GetLastError(&last);
  const std::string text =
      said != nullptr && *said != '\0' && last == status ? said : natsStatus_GetText(status);
  const auto full = [&](ErrorCode kind, const std::string& why, const char* hint) {
    return Error{kind, fmt::format("{}: {}", what, why), hint};
  };
  if (code == JSStreamNotFoundErr || status == NATS_NOT_FOUND)
    return full(ErrorCode::not_found, text,
                "'paco bus init' makes a stream, 'paco bus status' lists them");
  if (code == JSStreamStoreFailedErr || code == JSInsufficientResourcesErr ||
      code == JSStorageResourcesExceededErr || code == JSMemoryResourcesExceededErr ||
      text.find("maximum bytes") != std::string::npos ||
      text.find("maximum messages") != std::string::npos) {
    return full(
        ErrorCode::io, fmt::format("the store is full ({}, {})", text, shown_),
        "raise the limit ('paco bus init --max-bytes' on the same stream) or make room, then "
        "run the same command again: nothing is lost, and no sample is decided twice");
  }
  switch (status) {
    case NATS_NO_SERVER:
      return full(ErrorCode::io, fmt::format("no NATS server answers at {}", shown_),
                  "start one ('tools/cluster up' starts three), or give --server");
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_NOT_PERMITTED:
      return full(
          ErrorCode::io,
          fmt::format("{} refuses the credentials{}{} ({})", shown_,
                      options_.credentials.empty() ? "" : " in ", options_.credentials, text),
          "give --credentials FILE, or user and password in --server nats://USER:PASSWORD@HOST");
    case NATS_MAX_PAYLOAD:
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_REQUIRED:
    case NATS_SECURE_CONNECTION_WANTED:
      return full(ErrorCode::io, fmt::format("{} ({})", text, shown_),
                  status == NATS_MAX_PAYLOAD ? "raise max_payload of the servers"
                                             : "give --tls-ca, --tls-certificate and --tls-key");
    case NATS_NO_RESPONDERS:
      return full(
          ErrorCode::io, fmt::format("no server at {} answers for it", shown_),
          "the servers need JetStream (nats-server -js), and more than half of them must run");
    case NATS_TIMEOUT:
      return no_answer(what, shown_);
    default:
      return full(ErrorCode::io, fmt::format("{} ({})", text, shown_), "see the log of the server");
  }
}

Result<void> Connection::once(const std::string& what, const Call& call) const {
  auto code = jsErrCode(0);
  const natsStatus status = call(&code);
  if (status == NATS_OK) return {};
  return error(what, status, code);
}

Result<void> Connection::retry(const std::string& what, const std::stop_token& stop,
                               const Call& call) const {
  const auto begun = std::chrono::steady_clock::now();
  while (true) {
    auto code = jsErrCode(0);
    const natsStatus status = call(&code);
    if (status == NATS_OK) return {};
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    if (!may_pass(status, code) || spent.count() > options_.patience)
      return error(what, status, code);
    if (stop.stop_requested())
      return Error{ErrorCode::interrupted, fmt::format("{}: interrupted", what), ""};
    pause(100, stop);
  }
}

}  // namespace paco::bus
