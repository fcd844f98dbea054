// Users and their permissions. A token file has one line per user: ROLE NAME TOKEN [RATE]
// [streams=A,B], where RATE limits the requests per second; '#' starts a comment. Tokens are
// compared in constant time, and only their SHA-256 is kept.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::server {

// Each role includes the permissions of those before it.
enum class Role : std::uint8_t { none, read, send, operate };
const char* role_name(Role role);

class User {
 public:
  // Without `streams` the user sees all of them.
  User(std::string name, Role role, double rate, std::vector<std::string> streams = {})
      : name_(std::move(name)), role_(role), rate_(rate), streams_(std::move(streams)) {}
  const std::string& name() const { return name_; }
  Role role() const { return role_; }
  bool sees_all() const { return streams_.empty(); }
  bool sees(std::string_view stream) const;
  // Takes one request off the budget. If it is exhausted, returns the seconds until the next
  // request is allowed.
  std::optional<double> wait(std::chrono::steady_clock::time_point now);

 private:
  const std::string name_;
  const Role role_;
  const double rate_;  // requests per second; 0: no limit
  const std::vector<std::string> streams_;
  std::mutex mutex_;
  double budget_ = 1;  // seconds, at most one; a request costs 1 / rate_
  std::chrono::steady_clock::time_point last_{};
};

class Tokens {
 public:
  // Fails for malformed lines, tokens of less than 16 characters, and duplicate tokens.
  static Result<Tokens> parse(std::string_view text, const std::string& path);
  static Result<Tokens> read(const std::string& path);

  // The user for a value of the header `Authorization`; null if no token matches.
  std::shared_ptr<User> find(std::string_view authorization) const;
  std::size_t count() const { return entries_.size(); }

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    Digest digest;
    std::shared_ptr<User> user;
  };
  std::vector<Entry> entries_;
};

}  // namespace paco::server
