// Which smaller batch a device still has room for, found by trying.
#pragma once

#include <cstddef>
#include <functional>

namespace paco::embed {

// The largest of batch / 2, batch / 4, ... for which `fits` answers yes; 0 where none does.
inline std::size_t largest_batch_that_fits(std::size_t batch,
                                           const std::function<bool(std::size_t)>& fits) {
  for (std::size_t smaller = batch / 2; smaller > 0; smaller /= 2)
    if (fits(smaller)) return smaller;
  return 0;
}

}  // namespace paco::embed
