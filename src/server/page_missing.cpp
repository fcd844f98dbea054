// Replaces the built page if the program is built without node (see web/CMakeLists.txt).
#include "server/page.hpp"

namespace paco::server {

std::string_view page_text() { return {}; }

}  // namespace paco::server
