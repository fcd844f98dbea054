// Text from outside (file names, class names, data) made safe to show on a terminal.
//
// What would move the cursor, change colours, reorder letters or is no valid UTF-8 is written out:
// an escape character becomes "\x1b". Everything else, letters of any script included, stays as it
// is. This is for people: a program that needs the exact bytes reads the JSON output.
#pragma once

#include <string>
#include <string_view>

namespace paco::core {

// Whether text is UTF-8 as a whole, as JSON, models and pages need it.
bool is_utf8(std::string_view text);

// One line of text: line breaks and tabs are written out too, so that a name cannot pose as a
// line of its own.
std::string printable(std::string_view text);

// Text of several lines: line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace paco::core
