// A file of its own, for it is all that has to be compiled anew with every commit.
#include "commit.hpp"

namespace paco {

const char* built_from() { return PACO_COMMIT; }

}  // namespace paco
