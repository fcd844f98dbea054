// From paco, which starts in a moment, to paco-torch beside it, which has all the verbs.
#pragma once

namespace paco {

// Becomes paco-torch with the same arguments where `verb` (the first argument, or null) is one that
// only paco-torch has. Returns where it is not, or where paco-torch is not there.
void hand_over(char** argv, const char* verb);

}  // namespace paco
