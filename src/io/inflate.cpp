#include "io/inflate.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/try.hpp"

namespace paco::io {
namespace {

Error damaged_stream(const std::string& name, std::string_view what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: damaged compressed data: {}", name, what),
               "copy or download the file again"};
}

// zlib's stream state, with its cleanup, and the input that it reads from. The state contains
// pointers to itself, so the object cannot be moved.
class Inflater {
 public:
  Inflater(std::shared_ptr<ByteStream> packed, int window_bits) : packed_(std::move(packed)) {
    ready_ = inflateInit2(&state_, window_bits) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&state_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  const std::string& name() const { return packed_->name(); }

  // Up to out.size() unpacked bytes; 0 at the end of the data. With `many`, a further gzip member
  // may follow.
  Result<std::size_t> read(std::span<std::byte> out, bool many) {
    if (!ready_) return Error{ErrorCode::out_of_memory, name() + ": zlib could not start", ""};
    const std::size_t wanted = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(wanted);
    while (state_.avail_out == wanted && wanted > 0) {
      PACO_ASSIGN(auto packed, packed_->peek(1));
      if (ended_) {
        if (!many || packed.empty()) return std::size_t{0};
        inflateReset(&state_);
        ended_ = false;
      }
      if (packed.empty()) return damaged_stream(name(), "it ends too early");
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
      state_.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1u << 30));
      const uInt before = state_.avail_in;
      const int status = inflate(&state_, Z_NO_FLUSH);
      packed_->consume(before - state_.avail_in);
      if (status == Z_STREAM_END) {
        ended_ = true;
      } else if (status != Z_OK) {
        return damaged_stream(name(), state_.msg ? state_.msg : "the bytes do not fit the format");
      }
    }
    return wanted - state_.avail_out;
  }

 private:
  std::shared_ptr<ByteStream> packed_;
  z_stream state_{};
  bool ready_ = false;
  bool ended_ = false;
};

}  // namespace

ByteStream::Refill gunzip(std::shared_ptr<ByteStream> packed) {
  auto inflater = std::make_shared<Inflater>(std::move(packed), 16 + MAX_WBITS);
  return [inflater](std::span<std::byte> out) { return inflater->read(out, true); };
}

ByteStream::Refill inflate_raw(std::shared_ptr<ByteStream> packed) {
  auto inflater = std::make_shared<Inflater>(std::move(packed), -MAX_WBITS);
  return [inflater](std::span<std::byte> out) { return inflater->read(out, false); };
}

ByteStream::Refill check_member(ByteStream::Refill bytes, std::string name, std::uint64_t size,
                                std::uint32_t crc) {
  struct State {
    std::uint64_t left;
    uLong sum;
  };
  auto state = std::make_shared<State>(State{size, crc32(0, nullptr, 0)});
  return [bytes, name, state, crc](std::span<std::byte> out) -> Result<std::size_t> {
    PACO_ASSIGN(const std::size_t got, bytes(out));
    if (got > state->left) return damaged_stream(name, "it holds more bytes than it declares");
    state->left -= got;
    state->sum = crc32_z(state->sum, reinterpret_cast<const Bytef*>(out.data()), got);
    if (got == 0 && !out.empty()) {
      if (state->left > 0) return damaged_stream(name, "it holds fewer bytes than it declares");
      if (state->sum != crc) return damaged_stream(name, "its check sum is wrong");
    }
    return got;
  };
}

}  // namespace paco::io
