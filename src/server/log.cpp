#include "server/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "server/call.hpp"

namespace paco::server {
namespace {

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      break;
  }
  return "debug";
}

// Whether a word needs no quotes in a line of text.
bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/:,[]{}").find(c) != std::string_view::npos;
  });
}

void append_value(std::string& line, const Log::Field& field, LogForm form) {
  if (const auto* text = std::get_if<std::string_view>(&field.second)) {
    if (form == LogForm::text && is_word(*text)) {
      line += *text;
    } else {
      append_json_text(line, *text);
    }
  } else if (const auto* whole = std::get_if<std::uint64_t>(&field.second)) {
    line += std::to_string(*whole);
  } else {
    line += fmt::format("{:.6f}", std::get<double>(field.second));
  }
}

}  // namespace

std::string utc_text(double seconds) {
  const auto milliseconds = static_cast<std::int64_t>(std::floor(seconds * 1000));
  const std::time_t whole = milliseconds / 1000;
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     milliseconds % 1000);
}

Log::Log(LogForm form, LogLevel most, std::function<void(std::string_view)> out,
         std::function<double()> now)
    : form_(form), most_(most), out_(std::move(out)), now_(std::move(now)) {}

void Log::write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (!takes(level)) return;
  const std::string time = utc_text(now_());
  std::string line = form_ == LogForm::text
                         ? fmt::format("{} {} {}", time, level_name(level), event)
                         : fmt::format(R"({{"time":"{}","level":"{}","event":"{}")", time,
                                       level_name(level), event);
  for (const Field& field : fields) {
    const auto* text = std::get_if<std::string_view>(&field.second);
    if (text != nullptr && text->empty()) continue;
    line += form_ == LogForm::text ? fmt::format(" {}=", field.first)
                                   : fmt::format(",\"{}\":", field.first);
    append_value(line, field, form_);
  }
  line += form_ == LogForm::text ? "\n" : "}\n";
  const std::lock_guard lock(mutex_);
  out_(line);
}

}  // namespace paco::server
