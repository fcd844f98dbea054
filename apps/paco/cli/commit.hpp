// The commit from which the programs were built.
#pragma once

namespace paco {

// Its short name, or "unknown" if they were not built from a repository.
const char* built_from();

}  // namespace paco
