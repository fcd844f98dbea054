// The second half of the demonstration, from embeddings on disk to a report: the same steps as the
// verbs calibrate, discover, evaluate and report, with the same files, in one go.
#pragma once

#include <string>

#include "cli/verb.hpp"
#include "shared/demo_files.hpp"

namespace paco {

struct DemoStream {
  std::string title;
  std::string method = "paco";
  std::string images;  // data set of the pictures, or empty
  bool classifier = false;
  std::uint32_t seed = 0;
  int threads = 1;

  bool is_paco() const { return method == "paco"; }
};

// Prints what it does and the command that would do the same; the last step's numbers come back as
// JSON.
Result<Json> run_demo_stream(Context& context, const DemoFiles& files, const DemoStream& demo);

}  // namespace paco
