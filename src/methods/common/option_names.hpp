// The words for the choices of a calibration, in model files and on the command line.
#pragma once

#include "core/enum_names.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

inline constexpr auto kTies =
    core::enum_names<Tie>({{Tie::mid, "mid"}, {Tie::low, "low"}, {Tie::high, "high"}});
inline constexpr auto kReferenceChoices =
    core::enum_names<ReferenceChoice>({{ReferenceChoice::automatic, "auto"},
                                       {ReferenceChoice::prototype, "prototype"},
                                       {ReferenceChoice::classifier, "classifier"}});

}  // namespace paco::methods
