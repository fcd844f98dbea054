// The results of a method's calibration, in parts. Reports and studies use it to show the
// thresholds of any method without special code for it.
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
  std::string field;  // the evidence field that is compared with it
  ThresholdEvidence evidence;
};

struct MethodDetails {
  std::vector<CalibratedThreshold> thresholds;
  // Added to evidence in the unit "score" before it is shown, because the raw scores lie near a
  // large constant.
  double shift = 0;
  std::optional<std::int64_t> mature_size;  // size from which a category is mature
  nlohmann::ordered_json numbers;           // by name, for the report's document
  nlohmann::ordered_json options;           // likewise
};

}  // namespace paco::methods
