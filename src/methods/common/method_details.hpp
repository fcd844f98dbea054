// What a method's calibration found, in parts: for the report and for studies, which show the
// thresholds of any method and know none by name.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "paco/thresholds.hpp"

namespace paco::methods {

// A threshold with the scores that it was chosen from.
struct CalibratedThreshold {
  std::string key;    // in the report's document
  std::string name;   // in tables: "tau_birth"
  std::string field;  // of the evidence, compared with it
  ThresholdEvidence evidence;
};

struct MethodDetails {
  std::vector<CalibratedThreshold> thresholds;
  // Added to evidence in the unit "score" for readers: scores lie near a constant that no reader
  // can picture.
  double shift = 0;
  std::optional<std::int64_t> mature_size;  // from which a category counts as mature
  nlohmann::ordered_json numbers;           // by name, for the report's document
  nlohmann::ordered_json options;           // likewise
};

}  // namespace paco::methods
