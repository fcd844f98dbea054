// The model of `paco start`: which encoder, the labelled samples embedded, mirror calibrated. What
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
Result<Encoder> choose_encoder(Context& context, const StartFolder& found, const StartFiles& files,
                               const std::string& wanted);

Result<Model> start_model(Context& context, const std::string& folder, const StartFolder& found,
                          const StartFiles& files, const Encoder& encoder);

}  // namespace paco
