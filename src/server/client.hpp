// A client of `paco serve` that waits for its answers: what `paco send` and `paco watch` speak
// through. One thread at a time; a connection is kept from call to call and made anew where it is
// gone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::server {

struct Reply {
  int status = 0;
  std::string body;
};

class Client {
 public:
  // "http://127.0.0.1:8600" or "https://..."; an empty token is none.
  static Result<std::unique_ptr<Client>> create(const std::string& address, std::string token);
  virtual ~Client() = default;

  // ErrorCode::io if there is no answer. Whether the call was carried out is then not known.
  virtual Result<Reply> call(std::string_view method, const std::string& path,
                             std::string_view body = {}, std::string_view type = {}) = 0;
  // Lines of a body that does not end, until `line` says false, the server goes (ErrorCode::io) or
  // it answers with another status than 200, which is returned.
  virtual Result<Reply> lines(const std::string& path,
                              const std::function<bool(std::string_view)>& line) = 0;
};

// The sample that a request was refused for, if the server named one.
std::optional<std::size_t> refused_row(const Reply& reply);
// The server's own error, out of the body of an answer that is one.
Error error_of(const Reply& reply);

}  // namespace paco::server
