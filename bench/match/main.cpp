// How long does it take to match clusters with classes? Contenders: match() and the textbook
// Hungarian algorithm, on tables of counts as a stream leaves them: most samples of a class in a
// cluster or two.
#include <fmt/format.h>

#include <algorithm>

#include "core/random.hpp"
#include "harness.hpp"
#include "math/assignment.hpp"
#include "math/matrix.hpp"
#include "plain.hpp"

namespace {

using namespace paco;

math::Matrix<std::int64_t> table_of_counts(std::size_t classes, std::size_t clusters) {
  core::Random random(7);
  math::Matrix<std::int64_t> counts(classes, clusters);
  for (std::size_t i = 0; i < 40 * classes; ++i) {
    const std::size_t label = random.below(classes);
    const double u = random.uniform();
    const std::size_t shared = label * 2 / 3, piece = (classes + label) % clusters;
    ++counts[label][u < 0.5 ? shared : u < 0.7 ? piece : random.below(clusters)];
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("match", argc, argv);
  for (const auto& [classes, clusters] :
       {std::pair<std::size_t, std::size_t>{196, 367}, {200, 1000}, {1000, 2000}}) {
    const math::Matrix<std::int64_t> counts = table_of_counts(classes, clusters);
    const math::WeightTable table = math::weight_table(counts);
    const math::Matching matching = math::match(table);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      total += counts[i][static_cast<std::size_t>(matching.column_of_row[i])];
    }
    harness.require(total == bench::plain_best_weight(counts),
                    "weight of match() and of the textbook algorithm");
    const std::string shape = fmt::format("{} x {}", classes, clusters);
    const double bytes = static_cast<double>(classes * clusters * sizeof(std::int64_t));
    harness.time(
        "paco", shape, 1, [&] { (void)math::match(table); }, 0, bytes);
    harness.time(
        "textbook", shape, 1, [&] { (void)bench::plain_best_weight(counts); }, 0, bytes);
  }
  return harness.finish();
}
