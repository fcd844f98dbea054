// From pictures to embeddings on disk, as the verbs split, train and embed do it, in one go: what
// the demonstration begins with, and what a study does with a set of images. Every step prints the
// command that does the same by hand.
#pragma once

#include "cli/verb.hpp"
#include "train/image_recipe.hpp"

namespace paco {

// Where everything goes.
struct ImageSetFiles {
  std::string split;  // folder of the split's files
  std::string run;    // folder of the training
  std::string support, stream, classifier;
  std::string extraction =
      {};  // how many seconds embedding the support set took; empty: not written
};

// With `resume`, what an interrupted call left is taken as it is and the rest is done. The stream's
// embeddings are written last. An image that cannot be read is an error.
Result<void> make_image_set(Context& context, const train::ImageRecipe& recipe,
                            const ImageSetFiles& files, bool resume);

// "  $ paco ...", on stderr: how to do this step by hand.
void print_command(const std::string& command);

}  // namespace paco
