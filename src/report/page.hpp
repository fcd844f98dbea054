// The built page (web/), embedded at build time: one HTML text with places for title and data.
#pragma once

#include <string_view>

namespace paco::report {

// Empty where the program was built without the page.
std::string_view page_template();
// Why it is empty, for the reader; empty where there is a page.
std::string_view page_missing_reason();

// The places in the template: an HTML text, and the text of a JSON script element.
inline constexpr std::string_view kTitlePlace = "@PACO_TITLE@";
inline constexpr std::string_view kDataPlace = "@PACO_DATA@";

}  // namespace paco::report
