// Back from the names of verdicts, branches and routes to their values.
#pragma once

#include <string_view>

namespace paco {

// `name_of` names the values 0 .. count - 1 of T; false where none of them is called `text`.
template <class T>
bool parse_name(std::string_view text, std::string_view (*name_of)(T), int count, T& out) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<T>(i)) != text) continue;
    out = static_cast<T>(i);
    return true;
  }
  return false;
}

}  // namespace paco
