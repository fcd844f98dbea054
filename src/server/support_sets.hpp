// Support sets for calibrations, by the name of the future stream: embeddings and labels as two
// files, or labelled samples in parts. Kept in memory, and only a few at a time: a set that has not
// been calibrated is lost with the server.
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

// A complete support set.
struct Support {
  math::Matrix<double> embeddings;
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  std::optional<EmbeddingRecord> record;           // if this server embedded them
  std::vector<std::vector<std::string>> pictures;  // a few per class, if the samples were images
};

// Checks the labels of a support set. Fails for what a calibration would refuse: fewer than three
// classes, or classes with a single example.
Result<void> check_classes(const std::vector<std::string>& labels);

class SupportSets {
 public:
  Result<void> put_embeddings(const std::string& name, math::Matrix<double> rows);
  Result<void> put_labels(const std::string& name, io::Labels labels);

  struct Held {
    std::size_t rows = 0, classes = 0;
  };
  // Adds a part, all of it or nothing; `anew` first discards the earlier parts. Each row has a
  // label.
  Result<Held> add(const std::string& name, const Samples& part, const EmbeddingRecord& record,
                   bool anew);
  // Removes and returns the set; an Error if it is not complete.
  Result<Support> take(const std::string& name);
  // False if there is no such set.
  bool forget(const std::string& name);

 private:
  struct Waiting {
    std::optional<math::Matrix<double>> embeddings;
    std::optional<io::Labels> labels;
    // Labelled samples.
    std::vector<double> rows;
    std::vector<std::string> row_labels;
    std::map<std::string, std::vector<std::string>> pictures;  // by label; sorted
    std::optional<EmbeddingRecord> record;
  };
  Result<Waiting*> find(const std::string& name);
  static Support joined(Waiting waiting);

  std::mutex mutex_;  // guards all below
  std::map<std::string, Waiting> waiting_;
};

}  // namespace paco::server
