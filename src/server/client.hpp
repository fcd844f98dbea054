// A blocking client of `paco serve`, used by `paco send` and `paco watch`. One thread at a time.
// The connection is kept between calls and opened again if it was lost.
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
  // "http://127.0.0.1:8600" or "https://..."; an empty token sends none.
  static Result<std::unique_ptr<Client>> create(const std::string& address, std::string token);
  virtual ~Client() = default;

  // Returns ErrorCode::io if there is no answer; the call may then have been carried out or not.
  virtual Result<Reply> call(std::string_view method, const std::string& path,
                             std::string_view body = {}, std::string_view type = {}) = 0;
  // Reads the lines of an endless body until `line` returns false or the connection ends
  // (ErrorCode::io). Returns the answer if its status is not 200.
  virtual Result<Reply> lines(const std::string& path,
                              const std::function<bool(std::string_view)>& line) = 0;
};

// The sample for which a request was refused, if the server named one.
std::optional<std::size_t> refused_row(const Reply& reply);
// The server's error message, if the body of an answer has one.
Error error_of(const Reply& reply);

}  // namespace paco::server
