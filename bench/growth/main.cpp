// How do time and memory grow? With known classes, categories, dimension and the length of the
// stream, each on its own while the others stand still. Answers are not compared here:
// decide_single and decide_block do that, and the growth of the plain reference would take hours.
//
//   bench_growth [FILE.json [classes|categories|dimension|stream]]
#include <fmt/format.h>

#include <string_view>

#include "growth.hpp"

namespace paco::bench {

void add_decisions(Harness& harness, Method& method, Rows<const double> block_rows,
                   Rows<const double> single_rows, const std::string& axis, std::size_t at) {
  std::vector<Decision> decisions(block_rows.rows);
  const std::string shape = fmt::format("{} {}", at, axis);
  const double dimension = static_cast<double>(block_rows.columns);
  const core::Clock& clock = harness.clock();

  const std::size_t slice = block_rows.rows / 8;
  std::vector<double> seconds;
  for (std::size_t start = 0; start + slice <= block_rows.rows; start += slice) {
    const double before = clock();
    harness.take(method.decide_block(block_rows.slice(start, slice),
                                     std::span(decisions).subspan(start, slice)));
    seconds.push_back(clock() - before);
  }
  const auto prototypes =
      static_cast<double>(method.model().known_classes() + decisions.back().categories_after);
  const auto rows = static_cast<double>(slice);
  Measurement blocks{"growth", "paco in blocks", shape, timing_of(std::move(seconds)), rows};
  blocks.flops = 2 * prototypes * dimension * rows;
  blocks.more = {{"axis", axis}, {"at", at}, {"d", block_rows.columns}, {"prototypes", prototypes}};
  harness.add(blocks);

  std::vector<double> times;
  for (std::size_t i = 0; i < single_rows.rows; ++i) {
    const double start = clock();
    harness.take(method.decide(single_rows[i]));
    times.push_back(clock() - start);
  }
  Measurement singles{"growth", "paco one by one", shape, timing_of(std::move(times)), 1};
  singles.flops = 2 * prototypes * dimension;
  singles.bytes = 4 * prototypes * dimension;
  singles.more = blocks.more;
  harness.add(std::move(singles));
}

}  // namespace paco::bench

int main(int argc, char** argv) {
  using namespace paco::bench;
  Harness harness("growth", argc, argv);
  const std::string_view only = argc > 2 ? argv[2] : "";
  const auto wanted = [&](std::string_view axis) { return only.empty() || only == axis; };
  if (wanted("classes")) grow_known_classes(harness);
  if (wanted("dimension")) grow_dimension(harness);
  if (wanted("stream")) grow_stream(harness);
  if (wanted("categories")) grow_categories(harness);
  return harness.finish();
}
