// Checks whether a sample with a repeated key is the same sample that the stream has for that key.
#pragma once

#include <span>
#include <string>

#include "paco/session.hpp"

namespace paco::session {

// True if the distance is at most a thousandth of the length. Another number format, or embedding
// the same image on another processor, changes far less; another image changes far more.
bool same_content(std::span<const double> a, std::span<const double> b);

// The result of a call with a row that has another sample's key.
Decided conflict_of(std::size_t row, const std::string& key);

}  // namespace paco::session
