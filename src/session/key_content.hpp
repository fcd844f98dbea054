// Whether a sample that comes with a key again is the one that the stream has under that key.
#pragma once

#include <span>
#include <string>

#include "paco/session.hpp"

namespace paco::session {

// Equal up to a thousandth of the length. Numbers that were written in another format, or an image
// that was embedded on another processor, differ by far less; another image by far more.
bool same_content(std::span<const double> a, std::span<const double> b);

// What a call is answered whose row brings another sample under a key that is in use.
Decided conflict_of(std::size_t row, const std::string& key);

}  // namespace paco::session
