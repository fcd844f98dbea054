#include "session/key_content.hpp"

#include <fmt/format.h>

namespace paco::session {

bool same_content(std::span<const double> a, std::span<const double> b) {
  constexpr double kTolerance = 1e-3;
  if (a.size() != b.size()) return false;
  double length = 0, distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    length += a[i] * a[i];
    distance += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return distance <= kTolerance * kTolerance * length;
}

Decided conflict_of(std::size_t row, const std::string& key) {
  Decided out;
  out.conflict = row;
  out.refused = Error{ErrorCode::mismatch,
                      fmt::format("has the key '{}', which came before with other content", key),
                      "give each sample a key of its own, e.g. another --key-prefix"};
  return out;
}

}  // namespace paco::session
