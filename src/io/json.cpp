#include "io/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace paco::io {

bool json_nests_deeper(std::string_view text, std::size_t depth) {
  std::size_t open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      if (c == '\\') ++i;  // the escaped character does not end the text
    } else if (c == '[' || c == '{') {
      if (++open > depth) return true;
    } else if ((c == ']' || c == '}') && open > 0) {
      --open;
    }
  }
  return false;
}

template <class Json>
Result<Json> parse_json(std::string_view text, const std::string& where) {
  if (json_nests_deeper(text)) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{} is JSON that nests deeper than {} levels", where, kMaxJsonDepth),
                 "check the program that wrote it"};
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    // The library's message starts with its own error number in brackets; only the text after it is
    // useful to users.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find(']') + 2, what.size()));
    return Error{ErrorCode::bad_format, fmt::format("{} is not JSON: {}", where, what),
                 "check the program that wrote it"};
  }
}

template Result<nlohmann::json> parse_json<nlohmann::json>(std::string_view, const std::string&);
template Result<nlohmann::ordered_json> parse_json<nlohmann::ordered_json>(std::string_view,
                                                                           const std::string&);

}  // namespace paco::io
