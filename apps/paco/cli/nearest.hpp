// What a mistyped word may have meant.
#pragma once

#include <string>
#include <vector>

namespace paco {

// The name that at most two single-letter edits turn `word` into, "" if there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

}  // namespace paco
