// The first half of the demonstration: from pictures to embeddings on disk, as the verbs split,
// train and embed do it.
#pragma once

#include "demo_stream.hpp"

namespace paco {

struct DemoImages {
  bool fast = false;
  std::uint32_t seed = 0;
  unsigned threads = 1;
};

Result<DemoStream> prepare_demo_images(Context& context, const DemoFiles& files,
                                       const DemoImages& demo);

}  // namespace paco
