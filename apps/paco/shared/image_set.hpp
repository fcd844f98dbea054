// From pictures to embeddings on disk: the steps of the verbs split, train and embed in one call,
// for the demonstration and for studies of image sets. Every step prints the equivalent command.
#pragma once

#include "cli/verb.hpp"
#include "train/image_recipe.hpp"

namespace paco {

// The paths of all outputs.
struct ImageSetFiles {
  std::string split;  // folder of the split's files
  std::string run;    // folder of the training
  std::string support, stream, classifier;
  std::string extraction =
      {};  // how many seconds embedding the support set took; empty: not written
};

// With `resume`, the results of an interrupted call are reused. The stream's embeddings are written
// last. An image that cannot be read is an error.
Result<void> make_image_set(Context& context, const train::ImageRecipe& recipe,
                            const ImageSetFiles& files, bool resume);

// Prints "  $ paco ..." on stderr: the command for this step.
void print_command(const std::string& command);

}  // namespace paco
