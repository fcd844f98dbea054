// One call of the interface on its way through the server: the request, what its path named, who
// asks; and the shapes of answers that all calls share.
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
  std::vector<std::string> places;  // what stood for {name}, {sequence}, ... in the path
  std::shared_ptr<User> user;       // null where there are no tokens
  std::chrono::steady_clock::time_point begun;
  std::shared_ptr<Stream> stream;  // of paths below /v1/streams/{name}, ready unless said otherwise

  const Request& request() const { return exchange->request; }
  bool has(std::string_view name) const;
  std::string text(std::string_view name, std::string preset = {}) const;
};

// {"error": {"code", "message", "hint"}}
Response failure(int status, std::string_view code, std::string_view message,
                 std::string_view hint = {});
// By the kind of error.
Response failure(const Error& error);
Response failure(const BadSample& bad);
Response answer(const nlohmann::ordered_json& json, int status = 200);
Response nothing();  // 204
// An image file, which never changes; 404 with these words if it is empty or none.
Response picture_answer(std::string bytes, std::string_view absent);

// A query parameter that is a whole number within bounds, or a refusal.
Result<std::uint64_t> whole(const Call& call, std::string_view name, std::uint64_t preset,
                            std::uint64_t most);
Result<std::string> choice(const Call& call, std::string_view name,
                           std::vector<std::string_view> choices);
// A part of the path.
Result<std::uint64_t> number_of(std::string_view text, std::string_view what);

// A JSON text with its quotes; what is no UTF-8 is replaced.
void append_json_text(std::string& out, std::string_view text);

}  // namespace paco::server
