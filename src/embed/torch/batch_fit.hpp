// Finds by trial a smaller batch that fits the memory of a device.
#pragma once

#include <cstddef>
#include <functional>

namespace paco::embed {

// The largest of batch / 2, batch / 4, ... for which `fits` returns true; 0 if there is none.
inline std::size_t largest_batch_that_fits(std::size_t batch,
                                           const std::function<bool(std::size_t)>& fits) {
  for (std::size_t smaller = batch / 2; smaller > 0; smaller /= 2)
    if (fits(smaller)) return smaller;
  return 0;
}

}  // namespace paco::embed
