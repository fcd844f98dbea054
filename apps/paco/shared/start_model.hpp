// The model of `paco start`: which encoder, the labelled samples embedded (or groups of samples
// without labels), mirror calibrated. What
// is there from an earlier start is taken as it is.
#pragma once

#include <string>

#include "cli/verb.hpp"
#include "shared/encoder.hpp"
#include "shared/start_items.hpp"

namespace paco {

// Where `paco start` keeps what it makes.
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

// `wanted` is --encoder, or empty: that of the last start, or one that is on this machine, or one
// that a person at the terminal agrees to fetch.
// It is written down for the next start, and so is `from_nothing`.
Result<Encoder> choose_encoder(Context& context, const StartFolder& found, const StartFiles& files,
                               const std::string& wanted, bool from_nothing);

// Whether labels are left aside: the model that is there was made so, or --from-nothing (`wanted`),
// or, if there are too few labelled samples, a person at the terminal agrees. Else an error says
// what is missing.
Result<bool> begins_from_nothing(const StartFolder& found, const StartFiles& files,
                                 const std::string& folder, bool wanted);

Result<Model> start_model(Context& context, const std::string& folder, const StartFolder& found,
                          const StartFiles& files, const Encoder& encoder, bool from_nothing);

}  // namespace paco
