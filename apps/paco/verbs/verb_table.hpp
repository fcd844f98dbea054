// The verbs of paco in the order of their use, which is the order in the help text.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cli/context.hpp"
#include "cli/options.hpp"

namespace paco {

struct VerbEntry {
  const char* name;
  void (*add)(Options& verb, Context& context);  // null if this build lacks what it needs
  const char* missing;                           // if `add` is null: how to get it
};

std::span<const VerbEntry> verb_table();

// The options of all verbs that this build has.
std::vector<std::unique_ptr<Options>> all_verbs(Context& context);

}  // namespace paco
