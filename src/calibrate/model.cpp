#include "paco/model.hpp"

#include <algorithm>
#include <cmath>

namespace paco {

std::string_view tie_name(Tie tie) {
  switch (tie) {
    case Tie::mid:
      return "mid";
    case Tie::low:
      return "low";
    case Tie::high:
      return "high";
  }
  return "unknown";
}

std::string_view reference_choice_name(ReferenceChoice choice) {
  switch (choice) {
    case ReferenceChoice::automatic:
      return "auto";
    case ReferenceChoice::prototype:
      return "prototype";
    case ReferenceChoice::classifier:
      return "classifier";
  }
  return "unknown";
}

std::int64_t Model::mature_size() const {
  return static_cast<std::int64_t>(std::nearbyint(std::pow(base_median, options.beta)));
}

}  // namespace paco
