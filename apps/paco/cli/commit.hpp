// Which commit the programs were built from.
#pragma once

namespace paco {

// Its short name, or "unknown" where they were not built from a repository.
const char* built_from();

}  // namespace paco
