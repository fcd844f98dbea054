#include "server/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <random>

#include "core/try.hpp"
#include "server/compress.hpp"
#include "server/embedding_queue.hpp"
#include "server/gzip.hpp"

namespace paco::server {

struct Service::Workers {
  boost::asio::thread_pool pool{4};
  boost::asio::thread_pool images{1};
};

struct Service::Admitted final : Ticket {
  std::string id;
  std::string method, path, peer;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  Match match;
  std::shared_ptr<User> user;
  std::uint64_t body_limit = 0;
};

namespace {

// Request ids differ between runs of the server, because logs are kept.
std::string next_request_id() {
  static const std::uint64_t run = std::random_device()();
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{:08x}-{}", run, ++count);
}

LogLevel level_of(int status, bool changes) {
  if (status >= 500 || status == 401 || status == 403 || status == 429) return LogLevel::warning;
  return changes ? LogLevel::info : LogLevel::debug;
}

// Replaces a compressed body by its contents.
std::optional<Response> uncompress(Request& request, std::uint64_t limit) {
  if (request.content_encoding.empty() || request.content_encoding == "identity")
    return std::nullopt;
  std::string plain;
  const Gunzip found = gunzip(request.body, limit, plain);
  request.body = std::move(plain);
  if (found == Gunzip::done) return std::nullopt;
  if (found == Gunzip::damaged)
    return failure(400, "bad_format", "the body is no gzip, or not all of it", "");
  return failure(413, "too_large",
                 fmt::format("the body has more than {} bytes, at most so many are taken", limit));
}

// Matches "/v1/streams/birds" with "/v1/streams/{name}".
bool fits(std::string_view pattern, std::string_view path, std::vector<std::string>& places) {
  places.clear();
  while (true) {
    const std::size_t here = std::min(pattern.find('/', 1), pattern.size());
    const std::size_t there = std::min(path.find('/', 1), path.size());
    const std::string_view want = pattern.substr(0, here), have = path.substr(0, there);
    if (want == "/{place}") return path.size() > 1;  // a path of the page, which interprets it
    if (want.starts_with("/{")) {
      if (have.size() < 2) return false;
      places.emplace_back(have.substr(1));
    } else if (want != have) {
      return false;
    }
    pattern.remove_prefix(here);
    path.remove_prefix(there);
    if (pattern.empty() || path.empty()) return pattern.empty() && path.empty();
  }
}

// The host in "127.0.0.1:8600", "[::1]:8600" or "localhost", without the port.
std::string_view host_of(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const std::size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == host;
}

}  // namespace

const char* verb_text(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "GET";
    case Verb::put:
      return "PUT";
    case Verb::post:
      return "POST";
    case Verb::remove:
      return "DELETE";
    case Verb::other:
      break;
  }
  return "?";
}

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      tokens_(options_.tokens ? std::make_shared<const Tokens>(*options_.tokens) : nullptr),
      streams_(options_.folder, options_.durability, options_.own_streams, options_.log),
      workers_(std::make_unique<Workers>()),
      figures_(routes().size()),
      copies_(make_copies()) {}

Service::~Service() { close(); }

Result<void> Service::open() { return streams_.open(); }

void Service::close() {
  if (workers_ == nullptr) return;
  workers_->pool.join();
  workers_->images.join();
  workers_.reset();
  streams_.close();
}

void Service::embed_from(std::size_t first, Call call, std::shared_ptr<Samples> samples,
                         Next next) {
  boost::asio::post(
      workers_->images, [this, first, call = std::move(call), samples = std::move(samples),
                         next = std::move(next)]() mutable {
        const auto bad = options_.encoder->embed(*samples, first);
        const std::size_t after = first + EmbeddingQueue::kTogether;
        if (!bad && after < samples->rows)
          return embed_from(after, std::move(call), std::move(samples), std::move(next));
        --images_waiting_;
        if (bad) return call.exchange->answer([bad = *bad] { return failure(bad); });
        samples->images.clear();
        samples->texts.clear();
        next(std::move(call), std::move(samples));
      });
}

Service::Match Service::match(Verb verb, std::string_view path) const {
  Match out;
  std::vector<std::string> places;
  for (const Route& route : routes()) {
    if (!fits(route.pattern, path, places)) continue;
    if (route.verb == verb) {
      out.route = &route;
      out.places = places;
      return out;
    }
    out.allowed += fmt::format("{}{}", out.allowed.empty() ? "" : ", ", verb_text(route.verb));
  }
  return out;
}

std::optional<Response> Service::refuse(const Request& request, const Match& found,
                                        std::shared_ptr<User>& user) const {
  // A foreign page may use a host name that resolves to this machine, so that the browser sends its
  // requests here.
  const bool is_named = !request.host.empty();  // HTTP/1.0 health checks send no host
  if (options_.loopback && tokens() == nullptr && is_named &&
      !is_loopback(std::string(host_of(request.host)))) {
    return failure(403, "forbidden", fmt::format("this is no server of '{}'", request.host),
                   "address it as 127.0.0.1 or localhost");
  }
  if (!request.origin.empty() && !is_same_origin(request.origin, request.host)) {
    return failure(403, "forbidden", "a page of another server asks",
                   "pages elsewhere may not call; let their own server do it");
  }
  if (found.route == nullptr && found.allowed.empty()) {
    return failure(404, "not_found", fmt::format("there is no '{}'", request.path),
                   "GET /v1/openapi.json describes all calls");
  }
  if (found.route == nullptr) {
    Response response = failure(405, "method_not_allowed",
                                fmt::format("'{}' does not take this method", request.path),
                                fmt::format("it takes {}", found.allowed));
    response.headers.emplace_back("Allow", found.allowed);
    return response;
  }
  if (!request.content_encoding.empty() && request.content_encoding != "gzip" &&
      request.content_encoding != "identity") {
    Response response =
        failure(415, "unsupported", fmt::format("a body as '{}'", request.content_encoding),
                "send it as it is, or with gzip");
    response.headers.emplace_back("Accept-Encoding", "gzip");
    return response;
  }
  const auto known = tokens();
  if (known == nullptr) return std::nullopt;
  user = known->find(request.authorization);
  return found.route->role == Role::none ? std::nullopt : refuse_user(request, found, user);
}

std::optional<Response> Service::refuse_user(const Request& request, const Match& found,
                                             const std::shared_ptr<User>& user) const {
  if (user == nullptr) {
    return failure(401, "unauthorized", "this needs a token",
                   "send the header 'Authorization: Bearer TOKEN'");
  }
  if (user->role() < found.route->role) {
    return failure(403, "forbidden",
                   fmt::format("'{}' may {}, and this needs {}", user->name(),
                               role_name(user->role()), role_name(found.route->role)),
                   "ask the server's operator for a token with that role");
  }
  const bool is_of_stream = found.route->pattern.starts_with("/v1/streams/{name}");
  const bool is_of_all = request.path == "/metrics";
  if (!user->sees_all() && (is_of_all || (is_of_stream && !user->sees(found.places[0])))) {
    return failure(
        403, "forbidden",
        is_of_all ? fmt::format("'{}' may see some streams, not all", user->name())
                  : fmt::format("'{}' may not see the stream '{}'", user->name(), found.places[0]),
        "ask the server's operator for a token for it");
  }
  return std::nullopt;
}

Handler::Admission Service::admit(const Request& head) {
  ++requests_;
  Admission out;
  auto ticket = std::make_shared<Admitted>();
  ticket->id = next_request_id();
  ticket->method = head.head_only ? "HEAD" : verb_text(head.verb);
  ticket->path = head.path;
  ticket->peer = head.peer;
  ticket->match = match(head.verb, head.path);
  std::optional<Response> refused = refuse(head, ticket->match, ticket->user);
  if (!refused && ticket->user != nullptr) {
    if (const auto seconds = ticket->user->wait(std::chrono::steady_clock::now())) {
      refused = failure(429, "too_many", fmt::format("'{}' asks too often", ticket->user->name()),
                        fmt::format("wait {:.2f} seconds", *seconds));
    }
  }
  if (refused) {
    out.refused = true;
    out.response = std::move(*refused);
  } else {
    const Route& route = *ticket->match.route;
    if (!route.body.empty())
      out.body_limit = route.upload ? options_.upload_bytes : options_.body_bytes;
    ticket->body_limit = out.body_limit;
  }
  out.ticket = std::move(ticket);
  return out;
}

void Service::answered(Ticket* ticket, Response& response) {
  const bool has_failed = response.status >= 400;
  failures_ += has_failed;
  if (ticket == nullptr) return;
  const auto& admitted = static_cast<const Admitted&>(*ticket);
  response.headers.emplace_back("X-Request-Id", admitted.id);
  const Route* route = admitted.match.route;
  const bool changes = route != nullptr && route->verb != Verb::get && route->start == nullptr;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - admitted.begun;
  if (route != nullptr) {
    Figures& figures = figures_[static_cast<std::size_t>(route - routes().data())];
    ++figures.by_status[static_cast<std::size_t>(response.status / 100)];
    figures.seconds.add(passed.count());
  }
  const LogLevel level = level_of(response.status, changes);
  if (options_.log == nullptr || !options_.log->takes(level)) return;
  options_.log->write(level, "request",
                      {{"id", admitted.id},
                       {"who", admitted.user ? std::string_view(admitted.user->name()) : ""},
                       {"from", admitted.peer},
                       {"method", admitted.method},
                       {"path", admitted.path},
                       {"status", static_cast<std::uint64_t>(response.status)},
                       {"seconds", passed.count()},
                       {"error", response.fault}});
}

std::shared_ptr<const Tokens> Service::tokens() const {
  const std::lock_guard lock(tokens_mutex_);
  return tokens_;
}

void Service::set_tokens(Tokens tokens) {
  auto fresh = std::make_shared<const Tokens>(std::move(tokens));
  const std::lock_guard lock(tokens_mutex_);
  tokens_ = std::move(fresh);
}

void Service::handle(std::shared_ptr<Exchange> exchange) {
  boost::asio::post(workers_->pool, [this, exchange = std::move(exchange)]() mutable {
    const auto ticket = std::static_pointer_cast<Admitted>(std::move(exchange->ticket));
    Call call;
    call.begun = std::chrono::steady_clock::now();
    call.user = ticket->user;
    call.places = std::move(ticket->match.places);
    call.exchange = std::move(exchange);
    const Route& route = *ticket->match.route;
    std::optional<Response> refused = prepare(call, route);
    if (!refused) refused = uncompress(call.exchange->request, ticket->body_limit);
    if (!refused) return carry_out(std::move(call), route);
    call.exchange->answer(
        [response = std::move(*refused)]() mutable { return std::move(response); });
  });
}

std::optional<Response> Service::prepare(Call& call, const Route& route) const {
  for (const auto& given : call.request().query) {
    const std::string& name = given.first;
    const bool known = std::any_of(route.query.begin(), route.query.end(),
                                   [&](const Parameter& p) { return p.name == name; });
    if (known) continue;
    std::string names;
    for (const Parameter& p : route.query)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", p.name);
    return failure(400, "bad_argument", fmt::format("an unknown parameter '{}'", name),
                   names.empty() ? "it takes none" : "it takes: " + names);
  }
  if (!route.pattern.starts_with("/v1/streams/{name}")) return std::nullopt;
  const std::string& name = call.places[0];
  if (!is_stream_name(name)) {
    return failure(400, "bad_argument", fmt::format("'{}' is no name of a stream", name),
                   "1 to 64 of letters, digits, '.', '_', '-'");
  }
  call.stream = streams_.find(name);
  if (call.stream == nullptr && route.needs != Route::Needs::nothing) {
    return failure(404, "not_found", fmt::format("there is no stream '{}'", name),
                   "GET /v1/streams lists them");
  }
  if (route.needs != Route::Needs::ready || call.stream->ready()) return std::nullopt;
  const StreamStatus status = call.stream->status();
  const bool is_lost = status.state == StreamState::failed;
  return failure(is_lost ? 409 : 503, is_lost ? "conflict" : "unavailable",
                 fmt::format("the stream '{}' is {}", name, stream_state_name(status.state)),
                 status.error ? status.error->message : "ask again in a moment");
}

void Service::carry_out(Call call, const Route& route) {
  if (route.start != nullptr) return (this->*route.start)(std::move(call));
  Response response;
  try {
    response = (this->*route.work)(call);
  } catch (const std::bad_alloc&) {
    response = failure(503, "unavailable", "not enough memory", "ask for less at once");
  }
  if (route.verb == Verb::get) compress(response, call.request());
  call.exchange->answer([response = std::move(response)]() mutable { return std::move(response); });
}

Response Service::unreadable(int status, std::string_view code, std::string_view why) {
  ++requests_;
  if (options_.log != nullptr) {
    options_.log->write(LogLevel::info, "unreadable",
                        {{"status", static_cast<std::uint64_t>(status)}, {"error", why}});
  }
  return failure(status, code, why);
}

std::string Service::actor(const Call& call) const {
  return call.user != nullptr ? call.user->name() : std::string();
}

}  // namespace paco::server
