#include "server/page.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <span>

#include "report/base64.hpp"

namespace paco::server {
namespace {

std::string digest_of(std::string_view text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return report::base64(std::as_bytes(std::span(digest)));
}

std::string hash_of(std::string_view text) { return fmt::format("'sha256-{}'", digest_of(text)); }

// The hashes of the contents of every <TAG ...>...</TAG> of the page.
std::string hashes_of(std::string_view page, std::string_view tag) {
  std::string out;
  const std::string open = fmt::format("<{}", tag), close = fmt::format("</{}>", tag);
  for (std::size_t at = page.find(open); at != std::string_view::npos; at = page.find(open, at)) {
    const std::size_t begin = page.find('>', at);
    const std::size_t end = page.find(close, at);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) break;
    out += " " + hash_of(page.substr(begin + 1, end - begin - 1));
    at = end;
  }
  return out;
}

}  // namespace

std::string_view page_tag() {
  static const std::string tag = fmt::format("W/\"{}\"", digest_of(page_text()).substr(0, 22));
  return tag;
}

std::string_view page_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; script-src{}; style-src{}; img-src 'self' data: blob:; "
      "connect-src 'self'; font-src data:; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      hashes_of(page_text(), "script"), hashes_of(page_text(), "style"));
  return policy;
}

}  // namespace paco::server
