// One call of the API while the server handles it: the request, the parts of its path, the user;
// and answers in the formats that all calls share.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http.hpp"
#include "server/samples.hpp"
#include "server/stream.hpp"
#include "server/tokens.hpp"

namespace paco::server {

struct Call {
  std::shared_ptr<Exchange> exchange;
  std::vector<std::string> places;  // the parts of the path in place of {name}, {sequence}, ...
  std::shared_ptr<User> user;       // null if the server has no tokens
  std::chrono::steady_clock::time_point begun;
  std::shared_ptr<Stream> stream;  // for paths below /v1/streams/{name}; see Route::needs

  const Request& request() const { return exchange->request; }
  bool has(std::string_view name) const;
  std::string text(std::string_view name, std::string preset = {}) const;
};

// {"error": {"code", "message", "hint"}}
Response failure(int status, std::string_view code, std::string_view message,
                 std::string_view hint = {});
// The status follows from the error code.
Response failure(const Error& error);
Response failure(const BadSample& bad);
Response answer(const nlohmann::ordered_json& json, int status = 200);
Response nothing();  // 204
// An image file, which never changes; 404 with the text `absent` if `bytes` is empty.
Response picture_answer(std::string bytes, std::string_view absent);

// A query parameter that is a whole number within bounds, or an error.
Result<std::uint64_t> whole(const Call& call, std::string_view name, std::uint64_t preset,
                            std::uint64_t most);
Result<std::string> choice(const Call& call, std::string_view name,
                           std::vector<std::string_view> choices);
// The same for a part of the path.
Result<std::uint64_t> number_of(std::string_view text, std::string_view what);

// Appends a JSON string with its quotes; invalid UTF-8 is replaced.
void append_json_text(std::string& out, std::string_view text);

}  // namespace paco::server
