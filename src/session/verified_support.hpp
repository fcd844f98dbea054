// Samples of a journal that people confirmed, as labelled embeddings: what a new model can learn
// from beside its support set.
#pragma once

#include <string>
#include <vector>

#include "math/matrix.hpp"
#include "paco/session.hpp"

namespace paco::session {

struct VerifiedSupport {
  math::Matrix<double> embeddings;
  std::vector<std::int64_t> labels;  // those of new classes follow the known ones
  std::vector<std::string> new_classes;
  std::vector<std::string> left_out;  // what could not be used and why, one line each
};

// Verified samples of known classes, and of discovered categories that have a name and two verified
// samples or more: those become classes. `class_names` are the known classes of the support set,
// which must be those of the stream.
Result<VerifiedSupport> verified_support(Session& session,
                                         const std::vector<std::string>& class_names);

}  // namespace paco::session
