// A request and its answer, as the rest of the server sees them. No socket and no type of the HTTP
// library: those stay in listener.cpp.
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
  std::string path;              // percent signs resolved
  Fields query;                  // in order, resolved
  bool valid = true;             // false: the address could not be resolved
  bool head_only = false;        // HEAD: answered as GET, without the body
  bool takes_gzip = false;       // the answer may be compressed
  std::string content_type;      // lower case, without parameters
  std::string content_encoding;  // lower case
  std::string peer;              // the address it came from
  std::string authorization, host, origin, last_event_id, if_none_match;
  std::string body;
};

// A body that comes in pieces: a file that is sent, or events as they happen.
class Pieces {
 public:
  virtual ~Pieces() = default;
  // The next bytes; none where there are none at the moment. May take its time. An error cuts the
  // connection.
  virtual Result<std::string> next() = 0;
  virtual bool ended() const = 0;
  // It goes on until somebody leaves: a server that stops does not wait for it.
  virtual bool endless() const { return false; }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  Fields headers;
  std::shared_ptr<Pieces> pieces;  // in place of the body
  std::string fault;               // why it is a refusal, for the log
};

// What the handler found out when it admitted a request, for when it handles it.
struct Ticket {
  virtual ~Ticket() = default;
};

// One request and the way to its answer. Answered once, by any thread.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Request request;
  std::shared_ptr<Ticket> ticket;
  // `make` runs on a thread of the listener, so that the thread with the result need not write it
  // out.
  virtual void answer(std::function<Response()> make) = 0;
};

// What the listener asks before it reads a body, and whom it gives requests to. Calls come from
// several threads at once.
class Handler {
 public:
  virtual ~Handler() = default;
  struct Admission {
    std::uint64_t body_limit = 0;  // bytes
    bool refused = false;          // answered with `response`; the body is not read
    Response response;
    std::shared_ptr<Ticket> ticket;
  };
  virtual Admission admit(const Request& head) = 0;
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
  // The answer is about to be written; it may still get fields. `ticket` is that of its admission,
  // null where there was none.
  virtual void answered(Ticket* ticket, Response& response) = 0;
  // A request that could not be read.
  virtual Response unreadable(int status, std::string_view code, std::string_view why) = 0;
};

// "/v1/streams/a%20b?limit=10" taken apart; false where the escapes make no sense.
bool split_target(std::string_view target, std::string& path, Fields& query);

// Capital letters of ASCII become small ones.
std::string lower(std::string text);

}  // namespace paco::server
