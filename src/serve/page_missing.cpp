// Stands in for the built page where the program is built without node (see web/CMakeLists.txt).
#include "serve/page.hpp"

namespace paco::serve {

std::string_view page_text() { return {}; }

}  // namespace paco::serve
