// The built page of the server (web/), embedded at build time as one HTML text without
// placeholders.
#pragma once

#include <string>
#include <string_view>

namespace paco::server {

// Empty if the program was built without the page.
std::string_view page_text();
// The content security policy of the page: only its own scripts and styles, by their hashes.
std::string_view page_policy();
// Its ETag: equal for equal texts, whether compressed or not.
std::string_view page_tag();

}  // namespace paco::server
