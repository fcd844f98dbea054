// From paco, which starts in a moment, to paco-torch beside it, which has all the verbs.
#pragma once

namespace paco {

// Becomes paco-torch with the same arguments, unless `verb` (the first argument, or null) is one
// that this program has. Returns only where there is nothing to hand over or paco-torch is not
// there; the program then answers by itself.
void hand_over(char** argv, const char* verb);

}  // namespace paco
