#include "server/http_message.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace paco::server {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

Verb verb_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
    case http::verb::head:
      return Verb::get;
    case http::verb::put:
      return Verb::put;
    case http::verb::post:
      return Verb::post;
    case http::verb::delete_:
      return Verb::remove;
    default:
      return Verb::other;
  }
}

// Whether a list like "gzip, br;q=0.5" contains gzip without q=0.
bool takes_gzip(std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string one = lower(std::string(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
    std::erase_if(one, [](char c) { return c == ' ' || c == '\t'; });
    const std::string_view name = std::string_view(one).substr(0, one.find(';'));
    if (name != "gzip" && name != "x-gzip" && name != "*") continue;
    const std::string_view weight = std::string_view(one).substr(name.size());
    return weight.find_first_not_of(";q=0.") != std::string_view::npos || weight.empty();
  }
  return false;
}

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

Request request_of(const BeastRequest& message) {
  Request out;
  out.verb = verb_of(message.method());
  out.head_only = message.method() == http::verb::head;
  const beast::string_view target = message.target();
  out.valid = split_target({target.data(), target.size()}, out.path, out.query);
  std::string type = text_of(message[http::field::content_type]);
  type = lower(type.substr(0, type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  out.content_type = std::move(type);
  out.content_encoding = lower(text_of(message[http::field::content_encoding]));
  out.takes_gzip = takes_gzip(text_of(message[http::field::accept_encoding]));
  out.authorization = text_of(message[http::field::authorization]);
  out.host = text_of(message[http::field::host]);
  out.origin = text_of(message[http::field::origin]);
  out.if_none_match = text_of(message[http::field::if_none_match]);
  out.last_event_id = text_of(message["Last-Event-ID"]);
  return out;
}

std::optional<Fault> fault_of(const BeastRequest& message, const Request& request) {
  const bool newer = message.version() == 11;
  if (!newer && message.version() != 10)
    return Fault{505, "unsupported", "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  const std::size_t codings = message.count(http::field::transfer_encoding);
  if (codings > 0) {
    const std::string coding = lower(text_of(message[http::field::transfer_encoding]));
    if (codings > 1 || coding != "chunked" || !newer)
      return Fault{501, "unsupported", fmt::format("the transfer encoding '{}'", coding)};
  }
  if (message.count(http::field::host) > 1)
    return Fault{400, "bad_format", "a request with more than one Host"};
  // A health check with HTTP/1.0 has no Host; browsers never send such a request.
  if (newer && request.host.empty()) return Fault{400, "bad_format", "a request without Host"};
  if (!request.valid) return Fault{400, "bad_format", "the address makes no sense"};
  return std::nullopt;
}

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
  if (!has_no_body(response.status)) {
    head += fmt::format("Content-Type: {}\r\n", response.type);
    if (response.pieces == nullptr) {
      head += fmt::format("Content-Length: {}\r\n", response.body.size());
    } else if (chunked) {
      head += "Transfer-Encoding: chunked\r\n";
    }
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace paco::server
