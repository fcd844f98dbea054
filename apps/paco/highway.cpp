// The two functions of Highway that choosing an instruction set needs, in the program itself. The
// library of Highway 1.0 measures the resolution of the clock whenever it is loaded, 3 ms in which
// a short run is nearly done; with these the program does not load it. What is chosen is the same.
#include <hwy/targets.h>

#include "processor_targets.hpp"

namespace hwy {

int64_t SupportedTargets() {
  static const int64_t targets = paco::processor_targets();
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
