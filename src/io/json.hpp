// Parsing of JSON from outside, with a bound on its depth.
//
// The JSON library copies and writes nested values recursively, so a file of a hundred thousand
// brackets would end the program. No reader of this project needs more than a few levels;
// everything that the project parses goes through this function.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::io {

constexpr std::size_t kMaxJsonDepth = 64;

// True if the text has more than `depth` nested brackets. It only looks at the brackets; the text
// need not be valid.
bool json_nests_deeper(std::string_view text, std::size_t depth = kMaxJsonDepth);

// One JSON value. `where` names the file, and perhaps the line, in the error: "FILE: line 3". Json
// is nlohmann::json or nlohmann::ordered_json.
template <class Json = nlohmann::json>
Result<Json> parse_json(std::string_view text, const std::string& where);

}  // namespace paco::io
