// What a calibration found, for programs and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace paco::methods {

struct SectionSummary {
  nlohmann::ordered_json json;
  std::string text;
};

}  // namespace paco::methods
