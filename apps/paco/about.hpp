// What the verbs that may live in another program than paco say of themselves: the first line for
// the list of verbs, the rest for their own help. Kept apart from them, so that paco can list them
// without loading what they use.
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

inline constexpr const char* about_serve =
    "Serve the journals of a folder over HTTP, with a page to watch and correct them.\n"
    "On this machine alone unless --host says otherwise, which needs tokens. docs/serve.md has the "
    "calls.";

inline constexpr const char* about_send =
    "Send embeddings or images to a stream of 'paco serve'.\n"
    "With --key-prefix it may be stopped, or lose its server, and be run again: nothing is decided "
    "twice.";

inline constexpr const char* about_watch =
    "Show what happens in a stream of 'paco serve', as it happens.\n"
    "Goes on without gap or double when the server comes back. With --json each line is one "
    "object.";

inline constexpr const char* about_bus =
    "Streams on NATS JetStream: many machines embed and decide, and any of them may go.\n"
    "Every sample is decided once, in the one order of the stream, whoever is killed meanwhile. "
    "docs/scale.md has the walk.";

inline constexpr const char* about_doctor =
    "What this build and this machine can do: a block to paste into a bug report";

}  // namespace paco
