// Support sets on their way to a calibration, by the name of the stream to be: embeddings and
// labels as two files, or labelled samples part by part. In memory, and only a few at a time: what
// is not calibrated is lost with the server.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/labels.hpp"
#include "math/matrix.hpp"
#include "paco/embedding_record.hpp"
#include "server/samples.hpp"

namespace paco::server {

// Ready for a calibration.
struct Support {
  math::Matrix<double> embeddings;
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  std::optional<EmbeddingRecord> record;           // if this server embedded them
  std::vector<std::vector<std::string>> pictures;  // of each class a few, if they were images
};

// Labels of a support set; an Error that says in words what a calibration would refuse: fewer than
// three classes, or classes of a single example.
Result<void> check_classes(const std::vector<std::string>& labels);

class SupportSets {
 public:
  Result<void> put_embeddings(const std::string& name, math::Matrix<double> rows);
  Result<void> put_labels(const std::string& name, io::Labels labels);

  struct Held {
    std::size_t rows = 0, classes = 0;
  };
  // Adds a part, all of it or nothing; `anew` forgets what was there. Each row has a label.
  Result<Held> add(const std::string& name, const Samples& part, const EmbeddingRecord& record,
                   bool anew);
  // Takes it out; an Error if it is not complete.
  Result<Support> take(const std::string& name);
  // False if there was none.
  bool forget(const std::string& name);

 private:
  struct Waiting {
    std::optional<math::Matrix<double>> embeddings;
    std::optional<io::Labels> labels;
    // Labelled samples.
    std::vector<double> rows;
    std::vector<std::string> row_labels;
    std::map<std::string, std::vector<std::string>> pictures;  // by label, which are in order
    std::optional<EmbeddingRecord> record;
  };
  Result<Waiting*> find(const std::string& name);
  static Support joined(Waiting waiting);

  std::mutex mutex_;  // guards all below
  std::map<std::string, Waiting> waiting_;
};

}  // namespace paco::server
