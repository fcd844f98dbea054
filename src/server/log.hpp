// The log of the server: one line per event, as text for people or as JSON for programs. It never
// contains tokens or bodies.
//
//   2026-11-19T17:51:47.123Z info request id=5f3a-12 who=ann method=POST path=/v1/... status=200
//   {"time":"2026-11-19T17:51:47.123Z","level":"info","event":"request","id":"5f3a-12",...}
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace paco::server {

enum class LogLevel : std::uint8_t { error, warning, info, debug };
enum class LogForm : std::uint8_t { text, json };

class Log {
 public:
  using Field = std::pair<std::string_view, std::variant<std::string_view, std::uint64_t, double>>;

  // `most`: the least severe level that is written. `out` gets whole lines, one at a time; `now` is
  // in seconds since 1970.
  Log(LogForm form, LogLevel most, std::function<void(std::string_view)> out,
      std::function<double()> now);

  bool takes(LogLevel level) const { return level <= most_; }
  // Omits fields with an empty text.
  void write(LogLevel level, std::string_view event, std::initializer_list<Field> fields);

 private:
  const LogForm form_;
  const LogLevel most_;
  const std::function<void(std::string_view)> out_;
  const std::function<double()> now_;
  std::mutex mutex_;  // one line at a time
};

// "2026-11-19T17:51:47.123Z"
std::string utc_text(double seconds_since_1970);

}  // namespace paco::server
