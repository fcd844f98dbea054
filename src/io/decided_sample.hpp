// A decided sample, as stored in files, journals, the bus and reports.
#pragma once

#include <cstdint>
#include <string>

#include "paco/decision.hpp"

namespace paco::io {

struct DecidedSample : Decision {
  std::string sample;       // as the input named it; may be empty
  std::string name;         // of the category that was answered; empty: not known
  std::string key;          // unique in its stream; empty: it has none
  std::uint64_t event = 0;  // of a journal or of the bus
};

// The name that is shown to users: the sample's name in the input, or its number.
inline std::string shown_name(const DecidedSample& sample) {
  return sample.sample.empty() ? std::to_string(sample.sequence) : sample.sample;
}

}  // namespace paco::io
