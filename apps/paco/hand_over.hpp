// From paco, which starts in a moment, to paco-torch beside it, which has all the verbs.
#pragma once

namespace paco {

// Becomes paco-torch with the same arguments where `verb` (the first argument, or null) is one that
// only paco-torch has, or asks for what only it can do: `embed` on a GPU or with a TorchScript
// archive, `study` with a set of images. Returns where it is not so, or where paco-torch is not
// there.
void hand_over(char** argv, const char* verb);

}  // namespace paco
