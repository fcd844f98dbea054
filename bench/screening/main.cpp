// Where the memory is large, can a decision look at less than all of it and stay exact? First the
// share of prototypes that each bound cannot rule out, on real embeddings and on made ones; then
// the time of a search for the two nearest (a decision names the runner-up, so two are needed)
// among 100,000.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "harness.hpp"
#include "screening.hpp"

namespace {

using namespace paco;
using namespace paco::bench;

void add_survivors(Harness& harness, const Bank& bank) {
  for (const int places : {1, 2}) {
    const Survivors s = survivors(bank, places);
    Measurement m{"screening", "survivors", bank.name, timing_of({0.0}), 1};
    m.more = {{"places", places},
              {"d", bank.prototypes.columns()},
              {"prototypes", bank.prototypes.rows()},
              {"pivots", s.pivots},
              {"plain_head", s.plain_head},
              {"head_eighth", s.head_eighth},
              {"head_quarter", s.head_quarter},
              {"int8", s.int8}};
    harness.add(std::move(m));
  }
}

void time_search(Harness& harness, const Bank& bank) {
  const std::size_t d = bank.prototypes.columns(), count = bank.prototypes.rows();
  HeadSearch eighth(bank, d / 8), quarter(bank, d / 4);
  const std::string shape = fmt::format("{}, {} x {}", bank.name, count, d);
  for (const std::size_t block : {1, 16, 64}) {
    const std::size_t queries = block == 1 ? 16 : 64;
    std::vector<Pair> expected(queries), found(queries);
    full_search(bank, block, expected);
    const std::string how = block == 1 ? ", one by one" : fmt::format(", block {}", block);
    const auto work = static_cast<double>(count * d * queries);
    harness.time(
        "all coordinates" + how, shape, static_cast<double>(queries),
        [&] { full_search(bank, block, found); }, 2 * work, block == 1 ? 4 * work : 0);
    for (HeadSearch* search : {&eighth, &quarter}) {
      const std::size_t exact = search->search(block, found);
      harness.require(found == expected, "the two nearest by all coordinates and by the head");
      const bool is_eighth = search == &eighth;
      Measurement m{"screening",
                    (is_eighth ? "head d / 8" : "head d / 4") + how,
                    shape,
                    {},
                    static_cast<double>(queries)};
      m.time = time_runs(harness.clock(), 0.3, [&] { search->search(block, found); });
      m.more = {{"exact_share", static_cast<double>(exact) / static_cast<double>(count * queries)},
                {"bytes_per_prototype", search->bytes_per_prototype()}};
      harness.add(std::move(m));
    }
  }
}

// How the share that groups leave changes as the memory grows.
void add_groups(Harness& harness, const Bank& bank) {
  const std::size_t count = bank.prototypes.rows();
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
  for (const std::size_t groups : {root, 4 * root}) {
    const GroupBound bound = group_bound(bank, 2, groups);
    Measurement m{"screening", "groups", bank.name, timing_of({0.0}), 1};
    m.more = {{"d", bank.prototypes.columns()},
              {"prototypes", count},
              {"groups", groups},
              {"left", bound.left},
              {"radius_degrees", bound.radius_degrees},
              {"bar_degrees", bound.bar_degrees}};
    harness.add(std::move(m));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Harness harness("screening", argc, argv);
  const char* shared = std::getenv("PACO_SHARED");
  const std::string folder =
      (shared ? shared : PACO_SOURCE_DIR "/../shared") + std::string("/data/");
  for (const char* name : {"cub-finetuned", "cub-frozen"}) {
    const auto real = real_bank(folder + name);
    if (!real) {
      harness.note(fmt::format("{}{} is not here and was left out", folder, name));
      continue;
    }
    add_survivors(harness, *real);
    add_survivors(harness, enlarged(*real, 10'000, 200));
    time_search(harness, enlarged(*real, 100'000, 64));
    // A million prototypes of 768 numbers would not fit beside anything else.
    const bool small = real->prototypes.columns() < 256;
    for (const std::size_t count : {10'000u, 100'000u, 1'000'000u}) {
      if (count <= 100'000 || small) add_groups(harness, mixture(*real, count, 64));
    }
  }
  add_survivors(harness, isotropic(768, 10'000, 200));
  time_search(harness, isotropic(768, 20'000, 64));
  return harness.finish();
}
