// Used instead of the built page if the program is built without node (see web/CMakeLists.txt).
#include "report/page.hpp"

namespace paco::report {

std::string_view page_template() { return {}; }
std::string_view page_missing_reason() {
  return "node and npm were not there, or PACO_WEB was off, when it was built";
}

}  // namespace paco::report
