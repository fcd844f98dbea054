// The options of the peers as structs, with the tables that read them from settings.
#pragma once

#include <cstdint>
#include <string>

#include "methods/peers/training.hpp"

namespace paco::methods {

enum class PheRule : std::uint8_t { intended, literal };
inline constexpr auto kPheRules =
    core::enum_names<PheRule>({{PheRule::intended, "intended"}, {PheRule::literal, "literal"}});

// Options of SMILE's head and of related heads, and of PHE, which uses all of them.
struct CodeOptions : TrainingOptions {
  std::size_t bits = 12;
  std::size_t prototypes = 10;
  std::size_t counted = 0;
  PheRule rule = PheRule::intended;
  bool ssc = false;
};
const OptionTable<CodeOptions>& phe_table();

// Of ltc and talon.
struct SpaceOptions : TrainingOptions {
  double tau = 0;
  bool ssc = false;
  std::size_t batch = 0;
};
const OptionTable<SpaceOptions>& ltc_table();
const OptionTable<SpaceOptions>& talon_table();

struct AgeOptions : TrainingOptions {
  std::size_t components = 42;
  std::size_t window = 20;
  double alpha = 1;
  bool ssc = false;
};
const OptionTable<AgeOptions>& age_table();

inline constexpr const char* kNoNames = "none";
struct SyncOptions {
  std::string names = kNoNames;
  int name_steps = 900;
  double deviations = 3;
  bool refit = false;
  std::size_t samples = 32;
  std::uint64_t seed = 0;
  Seen embeddings = Seen::standardised;
};
const OptionTable<SyncOptions>& sync_table();

}  // namespace paco::methods
