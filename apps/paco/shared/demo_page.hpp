// `paco demo --serve`: shows the demonstration's stream on a page afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "cli/context.hpp"
#include "paco/result.hpp"
#include "shared/demo_files.hpp"

namespace paco {

// Serves the demonstration's stream at 127.0.0.1 and sends its samples into it, the first few
// hundred at once and then at a pace that can be followed, until Ctrl-C. A second call continues.
// `images` is the data set of the pictures, or empty.
Result<void> serve_demo(Context& context, const DemoFiles& files, const std::string& images,
                        std::uint16_t port);

}  // namespace paco
