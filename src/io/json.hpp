// JSON that came from outside, parsed within a bound on its depth.
//
// The library that does the work copies and writes nested values by calling itself, so that a file
// of a hundred thousand brackets would end the program. No reader of this project needs more than a
// few levels; everything it parses goes through here.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::io {

constexpr std::size_t kMaxJsonDepth = 64;

// Whether the text opens more than `depth` brackets inside each other. Looks at the brackets alone;
// the text need not be valid.
bool json_nests_deeper(std::string_view text, std::size_t depth = kMaxJsonDepth);

// One JSON value. `where` names the file, and perhaps the line, in the error: "FILE: line 3". Json
// is nlohmann::json or nlohmann::ordered_json.
template <class Json = nlohmann::json>
Result<Json> parse_json(std::string_view text, const std::string& where);

}  // namespace paco::io
