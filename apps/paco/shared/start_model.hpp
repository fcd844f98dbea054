// The model of `paco start`: chooses the encoder, embeds the labelled samples (or groups of samples
// without labels) and calibrates mirror. Results of an earlier start are reused.
#pragma once

#include <string>

#include "cli/verb.hpp"
#include "shared/encoder.hpp"
#include "shared/start_items.hpp"

namespace paco {

// The files that `paco start` stores in the folder.
struct StartFiles {
  explicit StartFiles(const std::string& folder)
      : own(folder + "/.paco"),
        settings(own + "/settings.json"),
        support(own + "/support.npy"),
        labels(own + "/labels.npy"),
        model(own + "/model.paco"),
        streams(own + "/streams") {}
  std::string own, settings, support, labels, model, streams;
};

// `wanted` is --encoder. If it is empty: that of the last start, or one on this machine, or one
// that the user at the terminal agrees to fetch. The choice and `from_nothing` are stored for the
// next start.
Result<Encoder> choose_encoder(Context& context, const StartFolder& found, const StartFiles& files,
                               const std::string& wanted, bool from_nothing);

// Whether labels are ignored: the existing model was made so, or --from-nothing was given
// (`wanted`), or there are too few labelled samples and the user at the terminal agrees. Otherwise
// an error says what is missing.
Result<bool> begins_from_nothing(const StartFolder& found, const StartFiles& files,
                                 const std::string& folder, bool wanted);

Result<Model> start_model(Context& context, const std::string& folder, const StartFolder& found,
                          const StartFiles& files, const Encoder& encoder, bool from_nothing);

}  // namespace paco
