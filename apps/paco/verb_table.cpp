#include "verb_table.hpp"

#include "about.hpp"

namespace paco {

#define PACO_VERB(name) void add_##name(CLI::App& app, Context& context);
#define PACO_HANDED_VERB(name, program)
#define PACO_ABSENT_VERB(name, needs)
#include "verbs.inc"
#undef PACO_VERB
#undef PACO_HANDED_VERB
#undef PACO_ABSENT_VERB

std::span<const VerbEntry> verb_table() {
  static constexpr VerbEntry table[] = {
#define PACO_VERB(name) {#name, add_##name, nullptr, nullptr, nullptr},
#define PACO_HANDED_VERB(name, program) {#name, nullptr, program, about_##name, nullptr},
#define PACO_ABSENT_VERB(name, needs) {#name, nullptr, nullptr, nullptr, needs},
#include "verbs.inc"
#undef PACO_VERB
#undef PACO_HANDED_VERB
#undef PACO_ABSENT_VERB
  };
  return table;
}

bool hands_over_to_torch() {
#ifdef PACO_HANDS_OVER_TO_TORCH
  return true;
#else
  return false;
#endif
}

}  // namespace paco
