// The verbs of paco, in the order in which they are used, which is the order of the help text.
#pragma once

#include <span>

#include "cli/context.hpp"
#include "cli/options.hpp"

namespace paco {

struct VerbEntry {
  const char* name;
  void (*add)(Options& verb, Context& context);  // null if this build lacks what it needs
  const char* missing;                           // then: how to get it
};

std::span<const VerbEntry> verb_table();

}  // namespace paco
