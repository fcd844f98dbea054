// Labelled embeddings as files: what a model is calibrated on, from `paco calibrate`, `paco
// discover` and `paco demo`.
#pragma once

#include "paco/model.hpp"
#include "verb.hpp"

namespace paco {

struct SupportFiles {
  std::string embeddings, labels;
  std::string classifier, classes;  // may be empty
};

// The options --support, --labels, --classifier and --classes.
struct SupportFileOptions {
  CLI::Option* embeddings;
  CLI::Option* labels;
};
SupportFileOptions add_support_files(CLI::App& verb, SupportFiles& files);

Result<Model> calibrate_files(const SupportFiles& files, const CalibrationOptions& options,
                              std::stop_token stop);

}  // namespace paco
