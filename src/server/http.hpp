// A request and its answer, as the rest of the server uses them, without sockets and without types
// of the HTTP library, which only the listener, its connections and the client use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paco/result.hpp"

namespace paco::server {

enum class Verb : std::uint8_t { get, put, post, remove, other };

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  Verb verb = Verb::other;
  std::string path;              // decoded
  Fields query;                  // decoded, in the order given
  bool valid = true;             // false: the address could not be decoded
  bool head_only = false;        // HEAD: answered as GET, without the body
  bool takes_gzip = false;       // the answer may be compressed
  std::string content_type;      // lower case, without parameters
  std::string content_encoding;  // lower case
  std::string peer;              // the address it came from
  std::string authorization, host, origin, last_event_id, if_none_match;
  std::string body;
};

// A body that is sent in pieces: a file, or events as they happen.
class Pieces {
 public:
  virtual ~Pieces() = default;
  // Returns the next bytes, or none if there are none at the moment. May block. An error closes the
  // connection.
  virtual Result<std::string> next() = 0;
  virtual bool ended() const = 0;
  // Whether the body continues until the client disconnects; a stopping server does not wait for
  // it.
  virtual bool endless() const { return false; }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  Fields headers;
  std::shared_ptr<Pieces> pieces;  // used instead of the body
  std::string fault;               // the reason of a refusal, for the log
};

// Data that the handler stores when it admits a request and uses when it handles it.
struct Ticket {
  virtual ~Ticket() = default;
};

// One request, with the means to answer it once, from any thread.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Request request;
  std::shared_ptr<Ticket> ticket;
  // `make` runs on a thread of the listener, so that the calling thread need not format the answer.
  virtual void answer(std::function<Response()> make) = 0;
};

// Decides for the listener whether a body is read, and handles requests. Called from several
// threads at once.
class Handler {
 public:
  virtual ~Handler() = default;
  struct Admission {
    std::uint64_t body_limit = 0;  // bytes
    bool refused = false;          // answer with `response` without reading the body
    Response response;
    std::shared_ptr<Ticket> ticket;
  };
  virtual Admission admit(const Request& head) = 0;
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
  // Called before the answer is written; may add header fields. `ticket` is that of the admission,
  // or null if there was none.
  virtual void answered(Ticket* ticket, Response& response) = 0;
  // The answer to a request that could not be parsed.
  virtual Response unreadable(int status, std::string_view code, std::string_view why) = 0;
};

// Splits "/v1/streams/a%20b?limit=10"; false if the escapes are invalid.
bool split_target(std::string_view target, std::string& path, Fields& query);

// Converts the capital letters of ASCII to lower case.
std::string lower(std::string text);

}  // namespace paco::server
