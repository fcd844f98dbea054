// What the verbs that may live in paco-torch say of themselves: the first line for the list of
// verbs, the rest for their own help. Kept apart from them, so that paco can list them without
// loading torch.
#pragma once

namespace paco {

inline constexpr const char* about_demo =
    "The whole job on Fashion-MNIST: train, embed, calibrate, discover, evaluate, report.\n"
    "Five of its classes are known, the other five have to be discovered. Every step prints the "
    "command that\n"
    "does the same by hand, and its files stay in the folder.";

inline constexpr const char* about_train =
    "Train the network that turns images into embeddings.\n"
    "Writes a run folder: weights and settings after every epoch, a checkpoint to go on from, "
    "metrics and their plot.";

inline constexpr const char* about_doctor =
    "What this build and this machine can do: a block to paste into a bug report";

}  // namespace paco
