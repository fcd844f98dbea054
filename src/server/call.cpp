#include "server/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace paco::server {
namespace {

using Json = nlohmann::ordered_json;

Response error_response(int status, std::string_view code, std::string_view message,
                        std::string_view hint, std::optional<std::size_t> row) {
  Json error = {{"code", code}, {"message", message}, {"hint", hint}};
  if (row) error["row"] = *row;
  Response response = answer(Json{{"error", std::move(error)}}, status);
  response.fault = message;
  if (status == 503 || status == 429) response.headers.emplace_back("Retry-After", "1");
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

struct Kind {
  int status;
  std::string_view code;
};

Kind kind_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return {404, "not_found"};
    case ErrorCode::mismatch:
    case ErrorCode::unsupported:
      return {409, "conflict"};
    case ErrorCode::io:
    case ErrorCode::interrupted:
    case ErrorCode::out_of_memory:
      return {503, "unavailable"};
    default:
      return {400, error_code_name(error.code)};
  }
}

}  // namespace

bool Call::has(std::string_view name) const {
  for (const auto& [key, value] : request().query) {
    if (key == name) return true;
  }
  return false;
}

std::string Call::text(std::string_view name, std::string preset) const {
  for (const auto& [key, value] : request().query) {
    if (key == name) return value;
  }
  return preset;
}

Response failure(int status, std::string_view code, std::string_view message,
                 std::string_view hint) {
  return error_response(status, code, message, hint, std::nullopt);
}

Response failure(const Error& error) {
  const Kind kind = kind_of(error);
  return error_response(kind.status, kind.code, error.message, error.hint, std::nullopt);
}

Response failure(const BadSample& bad) {
  const Kind kind = kind_of(bad.error);
  return error_response(kind.status, kind.code, bad.error.message, bad.error.hint, bad.row);
}

Response answer(const Json& json, int status) {
  Response response;
  response.status = status;
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return response;
}

Response picture_answer(std::string bytes, std::string_view absent) {
  const std::string_view type = picture_type(bytes);
  if (type.empty()) return failure(404, "not_found", absent);
  Response response;
  response.type = type;
  response.body = std::move(bytes);
  response.headers.emplace_back("Cache-Control", "private, max-age=31536000, immutable");
  return response;
}

Response nothing() {
  Response response;
  response.status = 204;
  return response;
}

Result<std::uint64_t> number_of(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [next, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || next != text.data() + text.size() || text.empty() ||
      value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Error{ErrorCode::bad_argument, fmt::format("'{}' is no {}", text, what),
                 "a whole number from 0 on"};
  }
  return value;
}

Result<std::uint64_t> whole(const Call& call, std::string_view name, std::uint64_t preset,
                            std::uint64_t most) {
  if (!call.has(name)) return preset;
  const std::string text = call.text(name);
  const Result<std::uint64_t> value = number_of(text, name);
  if (!value.ok()) return value;
  if (*value > most) {
    return Error{ErrorCode::bad_argument, fmt::format("{}={}: at most {}", name, text, most), ""};
  }
  return value;
}

Result<std::string> choice(const Call& call, std::string_view name,
                           std::vector<std::string_view> choices) {
  std::string given = call.text(name, std::string(choices.front()));
  if (std::find(choices.begin(), choices.end(), given) != choices.end()) return given;
  return Error{ErrorCode::bad_argument, fmt::format("{}={}", name, given),
               fmt::format("one of {}", fmt::join(choices, ", "))};
}

void append_json_text(std::string& out, std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
  });
  if (!plain) {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

}  // namespace paco::server
