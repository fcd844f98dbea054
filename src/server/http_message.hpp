// Between Beast's messages and those of http.hpp: what a header asks for, what is wrong with it,
// and the header of an answer.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

#include "server/http.hpp"

namespace paco::server {

using BeastRequest = boost::beast::http::request<boost::beast::http::string_body>;

Request request_of(const BeastRequest& message);

// Why a request is answered and its connection closed before anything else is asked: it cannot be
// told where it ends, or whom it is meant for.
struct Fault {
  int status = 400;
  std::string_view code;
  std::string why;
};
std::optional<Fault> fault_of(const BeastRequest& message, const Request& request);

// Status line and fields of an answer, up to the empty line.
std::string head_of(const Response& response, bool keep_alive, bool chunked);

}  // namespace paco::server
