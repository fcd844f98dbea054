// The built page of the server (web/), embedded at build time: one HTML text without places to
// fill.
#pragma once

#include <string>
#include <string_view>

namespace paco::server {

// Empty where the program was built without the page.
std::string_view page_text();
// The content policy for it: its own scripts and styles by their hashes, nothing from elsewhere.
std::string_view page_policy();
// Its ETag: the same text, the same tag, compressed or not.
std::string_view page_tag();

}  // namespace paco::server
