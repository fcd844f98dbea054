// Which verbs this program has, which it hands over and which the build leaves out. Each program
// has a table of its own, made of its list verbs.inc (CMakeLists.txt writes it); all else is
// shared.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace paco {

struct Context;

// One of add, program and needs is there.
struct VerbEntry {
  const char* name;
  void (*add)(CLI::App& app, Context& context);  // it lives here
  const char* program;                           // it lives in that program beside this one ...
  const char* about;                             // ... and says this of itself
  const char* needs;                             // this build has it nowhere, for want of this
};

// In the order of the help text.
std::span<const VerbEntry> verb_table();

// Whether what this program's verbs cannot do without torch is done by paco-torch beside it.
bool hands_over_to_torch();

}  // namespace paco
