// A separate file, because it is the only one compiled again for every commit.
#include "commit.hpp"

namespace paco {

const char* built_from() { return PACO_COMMIT; }

}  // namespace paco
