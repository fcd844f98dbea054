// Text from outside (file names, class names, data) made safe to show on a terminal.
//
// Characters that move the cursor, change colours or reorder letters, and invalid UTF-8, are
// escaped: an escape character becomes "\x1b". Everything else, including letters of any script,
// stays unchanged. This is for people: a program that needs the exact bytes reads the JSON output.
#pragma once

#include <string>
#include <string_view>

namespace paco::core {

// True if the whole text is valid UTF-8, as JSON, models and pages require.
bool is_utf8(std::string_view text);

// For one line of text: line breaks and tabs are escaped too, so that a name cannot look like a
// separate line.
std::string printable(std::string_view text);

// Text of several lines: line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace paco::core
