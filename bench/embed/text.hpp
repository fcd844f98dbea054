// The part of the benchmark of embedding that is about texts.
#pragma once

#include "harness.hpp"

namespace paco::bench {

void measure_texts(Harness& harness);

}  // namespace paco::bench
