// Who may do what. A token file has one line a user: ROLE NAME TOKEN [RATE] [streams=A,B], where
// RATE bounds the requests a second; '#' begins a remark. Tokens are compared in constant time and
// kept as their SHA-256 only.
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

// Each may what those before it may.
enum class Role : std::uint8_t { none, read, send, operate };
const char* role_name(Role role);

class User {
 public:
  // Without `streams` it may see them all.
  User(std::string name, Role role, double rate, std::vector<std::string> streams = {})
      : name_(std::move(name)), role_(role), rate_(rate), streams_(std::move(streams)) {}
  const std::string& name() const { return name_; }
  Role role() const { return role_; }
  bool sees_all() const { return streams_.empty(); }
  bool sees(std::string_view stream) const;
  // Takes one request off the budget; otherwise the seconds until there is one again.
  std::optional<double> wait(std::chrono::steady_clock::time_point now);

 private:
  const std::string name_;
  const Role role_;
  const double rate_;  // requests a second; 0: no bound
  const std::vector<std::string> streams_;
  std::mutex mutex_;
  double budget_ = 1;  // in seconds of requests, at most one
  std::chrono::steady_clock::time_point last_{};
};

class Tokens {
 public:
  // Refuses lines that are none, tokens of less than 16 characters, and the same one twice.
  static Result<Tokens> parse(std::string_view text, const std::string& path);
  static Result<Tokens> read(const std::string& path);

  // By the value of the header `Authorization`; null if it fits none.
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
