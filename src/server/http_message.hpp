// Converts between Beast's messages and those of http.hpp: reads a header, checks it, and formats
// the header of an answer.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

#include "server/http.hpp"

namespace paco::server {

using BeastRequest = boost::beast::http::request<boost::beast::http::string_body>;

Request request_of(const BeastRequest& message);

// The reason to refuse a request and close its connection before any other check: it is unclear
// where the request ends, or for which host it is.
struct Fault {
  int status = 400;
  std::string_view code;
  std::string why;
};
std::optional<Fault> fault_of(const BeastRequest& message, const Request& request);

// Status line and fields of an answer, up to the empty line.
std::string head_of(const Response& response, bool keep_alive, bool chunked);

}  // namespace paco::server
