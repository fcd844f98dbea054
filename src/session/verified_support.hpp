// Samples of a journal that people confirmed, as labelled embeddings: additional training data for
// a new model.
#pragma once

#include <string>
#include <vector>

#include "math/matrix.hpp"
#include "paco/session.hpp"

namespace paco::session {

struct VerifiedSupport {
  math::Matrix<double> embeddings;
  std::vector<std::int64_t> labels;  // new classes are numbered after the known ones
  std::vector<std::string> new_classes;
  std::vector<std::string> left_out;  // one line for each thing that was not used, with the reason
};

// Returns verified samples of known classes, and of discovered categories with a name and at least
// two verified samples, which become new classes. `class_names` are the known classes of the
// support set, which must be those of the stream.
Result<VerifiedSupport> verified_support(Session& session,
                                         const std::vector<std::string>& class_names);

}  // namespace paco::session
