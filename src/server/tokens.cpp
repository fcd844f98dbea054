#include "server/tokens.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/files.hpp"
#include "core/try.hpp"
#include "server/http.hpp"
#include "server/streams.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::string_view kLine =
    "each line: ROLE NAME TOKEN [REQUESTS_A_SECOND] [streams=NAME,NAME]";

std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

Role role_of(std::string_view word) {
  for (const Role role : {Role::read, Role::send, Role::operate}) {
    if (word == role_name(role)) return role;
  }
  return Role::none;
}

std::array<unsigned char, 32> digest_of(std::string_view token) {
  std::array<unsigned char, 32> out;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), out.data());
  return out;
}

// The optional fields after a token, in any order.
struct Bounds {
  double rate = 0;
  std::vector<std::string> streams;
};

// Returns what is wrong with a word; empty if nothing is.
std::string read_bound(std::string_view word, Bounds& out) {
  constexpr std::string_view kStreams = "streams=";
  if (!word.starts_with(kStreams)) {
    const char* const last = word.data() + word.size();
    const auto [next, status] = std::from_chars(word.data(), last, out.rate);
    const bool is_rate =
        status == std::errc{} && next == last && out.rate > 0 && std::isfinite(out.rate);
    return is_rate ? "" : fmt::format("has '{}', which is neither a rate nor streams=", word);
  }
  word.remove_prefix(kStreams.size());
  while (true) {
    const std::size_t end = std::min(word.find(','), word.size());
    out.streams.emplace_back(word.substr(0, end));
    if (!is_stream_name(out.streams.back()))
      return fmt::format("has '{}', which is no name of a stream", out.streams.back());
    if (end == word.size()) return "";
    word.remove_prefix(end + 1);
  }
}

}  // namespace

const char* role_name(Role role) {
  switch (role) {
    case Role::read:
      return "read";
    case Role::send:
      return "send";
    case Role::operate:
      return "operate";
    case Role::none:
      break;
  }
  return "nobody";
}

bool User::sees(std::string_view stream) const {
  return sees_all() || std::find(streams_.begin(), streams_.end(), stream) != streams_.end();
}

std::optional<double> User::wait(std::chrono::steady_clock::time_point now) {
  if (rate_ <= 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const double passed = std::chrono::duration<double>(now - last_).count();
  budget_ = std::min(1.0, budget_ + std::max(0.0, passed));
  last_ = now;
  const double cost = 1 / rate_;
  if (budget_ < cost && budget_ < 1) return cost - budget_;
  budget_ -= cost;
  return std::nullopt;
}

Result<Tokens> Tokens::parse(std::string_view text, const std::string& path) {
  Tokens out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    const auto bad = [&](std::string what) {
      return Error{ErrorCode::bad_format, fmt::format("{}: line {} {}", path, number, what),
                   std::string(kLine)};
    };
    if (words.size() < 3 || words.size() > 5) return bad(fmt::format("has {} words", words.size()));
    const Role role = role_of(words[0]);
    if (role == Role::none) return bad("begins with neither read, send nor operate");
    if (words[2].size() < kShortestToken)
      return bad(fmt::format("has a token of less than {} characters", kShortestToken));
    Bounds bounds;
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::string fault = read_bound(words[i], bounds);
      if (!fault.empty()) return bad(fault);
    }
    const Digest digest = digest_of(words[2]);
    for (const Entry& entry : out.entries_) {
      if (entry.digest == digest) return bad("has a token that an earlier line has");
    }
    out.entries_.push_back({digest, std::make_shared<User>(std::string(words[1]), role, bounds.rate,
                                                           std::move(bounds.streams))});
  }
  if (out.entries_.empty()) {
    return Error{ErrorCode::bad_format, fmt::format("{}: no token in it", path),
                 std::string(kLine)};
  }
  return out;
}

Result<Tokens> Tokens::read(const std::string& path) {
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path, 1 << 20));
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

// Compares with every entry even after a match, so that the time does not depend on the entries.
std::shared_ptr<User> Tokens::find(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (lower(std::string(authorization.substr(0, kScheme.size()))) != kScheme) return nullptr;
  const Digest digest = digest_of(authorization.substr(kScheme.size()));
  std::shared_ptr<User> found;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = entry.user;
  }
  return found;
}

}  // namespace paco::server
