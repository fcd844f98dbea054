// What is told of a finished stream: by `paco discover`, and by the demo.
#pragma once

#include "discover/stream.hpp"
#include "verb.hpp"

namespace paco {

Json stream_summary_json(const Method& method, const MemoryView& memory,
                         const StreamOutcome& outcome);
std::string stream_summary_text(const Method& method, const MemoryView& memory,
                                const StreamOutcome& outcome);

}  // namespace paco
