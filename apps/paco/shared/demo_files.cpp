#include "shared/demo_files.hpp"

namespace paco {

DemoFiles::DemoFiles(const std::string& path)
    : folder(path),
      split(path + "/split"),
      run(path + "/run"),
      support(path + "/support.npy"),
      stream(path + "/stream.npy"),
      classifier(path + "/classifier.npy"),
      support_labels(split + "/support_labels.npy"),
      stream_labels(split + "/stream_labels.npy"),
      classes(split + "/classes.txt"),
      known(split + "/known_classes.txt"),
      stream_index(split + "/stream_index.npy"),
      model(path + "/model.paco"),
      decisions(path + "/decisions.csv"),
      closed(path + "/closed.npy"),
      trace(path + "/trace.csv"),
      evaluation(path + "/evaluation.json"),
      report(path + "/report.html") {}

}  // namespace paco
