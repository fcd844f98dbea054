#include "server/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace paco::server {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header
constexpr std::size_t kStep = 64 * 1024;

// zlib declares its input as not const, but never writes to it.
void give(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

}  // namespace

std::string gzip(std::string_view bytes, int level) {
  z_stream stream{};
  if (bytes.size() > std::numeric_limits<uInt>::max() / 2 ||
      deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  give(stream, bytes);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(status == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

struct GzipStream::State {
  z_stream stream{};
  bool is_ready = false;
};

GzipStream::GzipStream(bool small) : state_(std::make_unique<State>()) {
  const int window = small ? 12 + 16 : kGzipWindow, memory = small ? 4 : 8;
  state_->is_ready =
      deflateInit2(&state_->stream, 1, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipStream::~GzipStream() {
  if (state_->is_ready) deflateEnd(&state_->stream);
}

bool GzipStream::ready() const { return state_->is_ready; }

std::string GzipStream::add(std::string_view bytes, bool last) {
  std::string out;
  if (bytes.empty() && !last) return out;
  z_stream& stream = state_->stream;
  give(stream, bytes);
  do {
    const std::size_t before = out.size();
    out.resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = kStep;
    deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    out.resize(before + kStep - stream.avail_out);
  } while (stream.avail_out == 0);
  return out;
}

Gunzip gunzip(std::string_view bytes, std::uint64_t limit, std::string& out) {
  out.clear();
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return Gunzip::damaged;
  int status = Z_OK;
  while (status == Z_OK && out.size() <= limit) {
    if (stream.avail_in == 0) {
      if (bytes.empty()) break;
      const std::string_view part = bytes.substr(0, std::size_t{1} << 30);
      give(stream, part);
      bytes.remove_prefix(part.size());
    }
    const std::size_t before = out.size();
    out.resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = kStep;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kStep - stream.avail_out);
    if (status == Z_BUF_ERROR && !bytes.empty()) status = Z_OK;
  }
  const bool is_whole = status == Z_STREAM_END && stream.avail_in == 0 && bytes.empty();
  inflateEnd(&stream);
  if (out.size() > limit) return Gunzip::too_large;
  return is_whole ? Gunzip::done : Gunzip::damaged;
}

}  // namespace paco::server
