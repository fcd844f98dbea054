// Where the demonstration keeps what it makes: names and nothing else.
#pragma once

#include <string>

namespace paco {

// Files in the demonstration's folder; each can be given to the other verbs.
struct DemoFiles {
  explicit DemoFiles(const std::string& folder);
  std::string folder, split, run, support, stream, classifier, support_labels, stream_labels,
      classes, known, stream_index, model, decisions, closed, trace, evaluation, report;
};

}  // namespace paco
