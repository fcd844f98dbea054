#include "made_embeddings.hpp"

#include <cmath>
#include <span>

#include "base/random.hpp"

namespace paco {
namespace {

// A sample is its class's mean plus noise: its direction is spread around the mean's, evenly to all
// sides.
void draw(std::span<double> row, std::span<const double> mean, Random& random) {
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = mean[j] + random.normal();
}

}  // namespace

MadeEmbeddings make_embeddings(const MadeOptions& options) {
  Random random(options.seed);
  const std::size_t classes = options.known + options.novel;
  Matrix<double> means(classes, options.dimension);
  for (std::size_t k = 0; k < classes; ++k) {
    double square = 0;
    for (double& x : means[k]) {
      x = random.normal();
      square += x * x;
    }
    for (double& x : means[k]) x *= options.concentration / std::sqrt(square);
  }
  MadeEmbeddings made;
  made.support = Matrix<double>(options.known * options.support, options.dimension);
  for (std::size_t i = 0; i < made.support.rows(); ++i) {
    const std::size_t label = i % options.known;
    draw(made.support[i], means[label], random);
    made.support_labels.push_back(static_cast<std::int64_t>(label));
  }
  made.stream = Matrix<double>(classes * options.stream, options.dimension);
  for (const std::size_t place : random.permutation(made.stream.rows())) {
    const std::size_t label = place % classes;
    draw(made.stream[made.stream_labels.size()], means[label], random);
    made.stream_labels.push_back(static_cast<std::int64_t>(label));
  }
  return made;
}

}  // namespace paco
