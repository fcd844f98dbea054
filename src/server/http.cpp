#include "server/http.hpp"

#include <algorithm>
#include <optional>

namespace paco::server {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> resolve(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit(text[i + 1]), low = digit(text[i + 2]);
      if (high < 0 || low < 0 || high * 16 + low == 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

bool split_target(std::string_view target, std::string& path, Fields& query) {
  const std::size_t mark = target.find('?');
  const auto resolved = resolve(target.substr(0, mark), false);
  if (!resolved || !resolved->starts_with('/')) return false;
  path = *resolved;
  if (mark == std::string_view::npos) return true;
  std::size_t end = mark;
  for (std::size_t begin = mark + 1; begin < target.size(); begin = end + 1) {
    end = std::min(target.find('&', begin), target.size());
    const std::string_view part = target.substr(begin, end - begin);
    if (part.empty()) continue;
    const std::size_t sign = std::min(part.find('='), part.size());
    const auto name = resolve(part.substr(0, sign), true);
    const auto value = resolve(part.substr(std::min(sign + 1, part.size())), true);
    if (!name || !value) return false;
    query.emplace_back(*name, *value);
  }
  return true;
}

}  // namespace paco::server
