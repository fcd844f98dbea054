// Models as paco 0.1 wrote them: one flat set of options and thresholds, which served PACO and the
// baselines alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/safetensors.hpp"
#include "paco/model.hpp"

namespace paco::methods {

// As both versions of the format write it (model_file.cpp).
ReferenceQuality quality_from(const nlohmann::ordered_json& json);

// The sections, and all of the shared part that is not a tensor. Throws nlohmann's exceptions on
// anything unexpected.
Result<Model> model_of_0_1(const nlohmann::ordered_json& json, const io::SafetensorsFile& file);

}  // namespace paco::methods
