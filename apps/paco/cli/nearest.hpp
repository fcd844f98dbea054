// Suggests a correction for a mistyped word.
#pragma once

#include <string>
#include <vector>

namespace paco {

// The closest name within two single-letter edits of `word`; empty if there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

}  // namespace paco
