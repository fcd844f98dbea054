// Compresses answers and decompresses requests in the gzip format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace paco::server {

// At `level` 1 (fast) to 9 (small).
std::string gzip(std::string_view bytes, int level);

// The same for bytes that arrive in pieces.
class GzipStream {
 public:
  // `small`: uses little memory, for thousands of streams that are open at once.
  explicit GzipStream(bool small);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  bool ready() const;  // false: out of memory, and nothing can be added
  // Returns the next compressed bytes. With all earlier results, they suffice to decompress all of
  // `bytes`.
  std::string add(std::string_view bytes, bool last);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class Gunzip : std::uint8_t { done, too_large, damaged };
// Stops with too_large after more than `limit` bytes; `out` is then incomplete.
Gunzip gunzip(std::string_view bytes, std::uint64_t limit, std::string& out);

}  // namespace paco::server
