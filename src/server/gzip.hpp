// Bodies in gzip's form: answers are made smaller, requests are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace paco::server {

// At `level` 1 (fast) to 9 (small).
std::string gzip(std::string_view bytes, int level);

// The same of bytes that come in pieces.
class GzipStream {
 public:
  // `small`: for thousands that are open at once, with little memory for each.
  explicit GzipStream(bool small);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  bool ready() const;  // else there was no memory, and nothing can be added
  // All of `bytes` can be read from what is returned and was returned before; none: nothing.
  std::string add(std::string_view bytes, bool last);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class Gunzip : std::uint8_t { done, too_large, damaged };
// Of more than `limit` bytes nothing is kept.
Gunzip gunzip(std::string_view bytes, std::uint64_t limit, std::string& out);

}  // namespace paco::server
