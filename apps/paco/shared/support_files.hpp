// Files of labelled embeddings for calibrating a model, for `paco calibrate`, `paco discover` and
// `paco demo`.
#pragma once

#include "cli/verb.hpp"
#include "io/labels.hpp"
#include "paco/model.hpp"

namespace paco {

struct SupportFiles {
  std::string embeddings, labels;
  std::string classifier, classes;  // may be empty
  std::string held_out = {},
              held_out_labels = {};  // likewise; only `paco calibrate` has options for them
  std::string journal = {};          // its verified samples are added; may be empty
  std::string head = {};             // for smile, phe, ltc or talon; may be empty
};

// The options --support, --labels, --classifier and --classes.
struct SupportFileOptions {
  Option& embeddings;
  Option& labels;
};
SupportFileOptions add_support_files(Options& verb, SupportFiles& files);

// The files that were given, with the names of their options.
std::vector<NamedFile> named_files(const SupportFiles& files);

// With a journal, its verified samples are added, and notes say what was left out. Progress is
// shown if the calibration is expected to take long (from the number of samples times classes).
Result<Model> calibrate_files(const SupportFiles& files, const CalibrationOptions& options,
                              std::stop_token stop, core::Progress& progress);

// The same for labels already in memory; `files` has the names for messages.
Result<Model> calibrate_labelled(const SupportFiles& files, io::Labels labels,
                                 const CalibrationOptions& options, std::stop_token stop,
                                 core::Progress& progress);

}  // namespace paco
