// How long does the bare nearest-prototype step take, one query at a time and in blocks?
// Contenders: our screening with exact settlement, faiss's flat index and hnswlib's graph. Exact
// contenders must agree; the graph is approximate, so its recall stands beside its time, and the
// time to build it, because a memory that moves with every sample would have to follow.
#include <fmt/format.h>

#include <cmath>

#include "contender.hpp"
#include "harness.hpp"
#include "io/synthetic_data.hpp"

namespace {

using namespace paco;

math::Matrix<float> unit_rows(const math::Matrix<double>& rows) {
  math::Matrix<float> units(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squared = 0;
    for (const double x : rows[i]) squared += x * x;
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      units[i][j] = static_cast<float>(rows[i][j] / std::sqrt(squared));
    }
  }
  return units;
}

void ask(bench::Harness& harness, std::size_t count) {
  constexpr std::size_t kQueries = 512;
  io::SyntheticShape shape{"", 768, count, 0, count, kQueries, 1.0, 3};
  const math::Matrix<float> queries = unit_rows(io::SyntheticData(shape).stream(0, kQueries));
  shape.noise = 0.2;
  const math::Matrix<float> prototypes = unit_rows(io::SyntheticData(shape).support());

  std::vector<std::unique_ptr<bench::Nearest>> contenders;
  contenders.push_back(bench::make_paco(prototypes));
#ifdef BENCH_HAS_FAISS
  contenders.push_back(bench::make_faiss_flat(prototypes));
#else
  harness.note("faiss is not installed and was left out");
#endif
  double build_seconds = 0;
#ifdef BENCH_HAS_HNSWLIB
  const double before = harness.clock()();
  contenders.push_back(bench::make_hnswlib(prototypes));
  build_seconds = harness.clock()() - before;
#else
  harness.note("hnswlib is not installed and was left out");
#endif

  std::vector<std::int64_t> expected(kQueries), found(kQueries);
  contenders[0]->search(queries, expected);
  for (const auto& contender : contenders) {
    contender->search(queries, found);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < kQueries; ++i) equal += found[i] == expected[i] ? 1u : 0u;
    if (contender->exact()) {
      harness.require(equal == kQueries, "nearest prototypes of paco and " + contender->name());
    }
    for (const bool single : {true, false}) {
      const std::size_t queries_each = single ? 64 : kQueries;
      Measurement m{"",
                    contender->name() + (single ? ", one by one" : ", in blocks"),
                    fmt::format("{} x 768", count),
                    {},
                    static_cast<double>(queries_each)};
      m.time = time_runs(harness.clock(), 0.3, [&] {
        if (!single) return contender->search(queries, found);
        for (std::size_t i = 0; i < queries_each; ++i) {
          contender->search(queries.view().slice(i, 1), std::span(found).subspan(i, 1));
        }
      });
      const auto work = static_cast<double>(count * 768 * queries_each);
      m.flops = contender->exact() ? 2 * work : 0;
      m.bytes = contender->exact() && single ? 4 * work : 0;
      m.more["recall"] = static_cast<double>(equal) / kQueries;
      if (!contender->exact()) {
        m.more["build_microseconds_per_prototype"] =
            build_seconds / static_cast<double>(count) * 1e6;
      }
      harness.add(std::move(m));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("nearest", argc, argv);
  for (const std::size_t count : {367, 10'000}) ask(harness, count);
  return harness.finish();
}
