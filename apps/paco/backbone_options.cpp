#include "backbone_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "embed/cpu/cpu_embedder.hpp"

namespace paco {

void add_backbone(CLI::App& verb, BackboneOptions& options, const std::string& what_for) {
  verb.add_option("--backbone", options.backbone,
                  what_for + ": run folder of paco train, or a backbone's name (paco embed)");
  verb.add_option("--weights", options.weights, "of a backbone given by name");
  verb.add_option("--normalise", options.normalise, "its pixels, as in paco embed");
  verb.add_option("--precision", options.settings.precision,
                  "it computes in float32, bfloat16 or int8; auto: float32");
}

Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(const BackboneOptions& options) {
  const std::vector<std::string> names = embed::backbone_names();
  const bool named = std::find(names.begin(), names.end(), options.backbone) != names.end();
  if (named == options.weights.empty()) {
    return Error{ErrorCode::bad_argument,
                 named ? fmt::format("--backbone {} has no weights", options.backbone)
                       : "--weights goes with the name of a backbone",
                 "give --backbone RUN, a folder of paco train; or --backbone NAME --weights FILE"};
  }
  if (!named) return embed::open_cpu_run(options.backbone, options.settings);
  PACO_ASSIGN(embed::NetSpec spec, embed::make_spec(options.backbone));
  PACO_ASSIGN(spec.normalisation, embed::parse_normalisation(options.normalise));
  return embed::open_cpu_backbone(spec, options.weights, options.settings);
}

}  // namespace paco
