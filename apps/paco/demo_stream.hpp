// The second half of the demonstration, from embeddings on disk to a report: the same steps as the
// verbs calibrate, discover, evaluate and report, with the same files, in one go.
#pragma once

#include <string>

#include "verb.hpp"

namespace paco {

// Files in the demonstration's folder; each can be given to the other verbs.
struct DemoFiles {
  explicit DemoFiles(const std::string& folder);
  std::string folder, split, run, support, stream, classifier, support_labels, stream_labels,
      classes, known, stream_index, model, decisions, closed, trace, evaluation, report;
};

struct DemoStream {
  std::string title;
  std::string images;  // data set of the pictures, or empty
  bool classifier = false;
  std::uint32_t seed = 0;
  int threads = 1;
};

// Prints what it does and the command that would do the same; the last step's numbers come back as
// JSON.
Result<Json> run_demo_stream(Context& context, const DemoFiles& files, const DemoStream& demo);

}  // namespace paco
