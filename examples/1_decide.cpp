// Embeddings in, decisions out: calibrate on labelled samples in memory, then decide on a small
// stream in which a bird turns up that nobody has labelled. Build it against the installed package:
//   find_package(paco REQUIRED)
//   target_link_libraries(1_decide PRIVATE paco::paco)
#include <cstdio>
#include <paco/paco.hpp>
#include <random>

constexpr std::size_t kDimension = 32;

// One made embedding: the class's own direction and some noise, always the same for the same seed.
std::vector<double> embed(unsigned kind, unsigned seed) {
  std::mt19937 direction(kind), noise(1000 + seed);
  const auto spread = [](std::mt19937& r) { return static_cast<double>(r()) / 0x1p31 - 1; };
  std::vector<double> row(kDimension);
  for (double& x : row) x = spread(direction) + 0.6 * spread(noise);
  return row;
}

int fail(const paco::Error& error) {
  std::fprintf(stderr, "error: %s\n  hint: %s\n", error.message.c_str(), error.hint.c_str());
  return 1;
}

int main() {
  // The support set: four known classes, 15 samples each, row after row.
  const std::vector<std::string> names{"magpie", "jay", "rook", "jackdaw"};
  std::vector<double> support;
  std::vector<std::int64_t> labels;
  for (unsigned i = 0; i < 60; ++i) {
    const std::vector<double> row = embed(i % 4, i);
    support.insert(support.end(), row.begin(), row.end());
    labels.push_back(i % 4);
  }
  auto model = paco::calibrate({{support.data(), 60, kDimension}, labels, names, {}});
  if (!model.ok()) return fail(model.error());
  const auto shared = std::make_shared<const paco::Model>(std::move(*model));

  auto method = paco::make_method("paco", shared);
  if (!method.ok()) return fail(method.error());
  unsigned seed = 0;
  // The stream: kinds 0 to 3 are known, kinds 4 and 5 are new to the model.
  for (const unsigned kind : {0u, 4u, 2u, 4u, 5u, 4u, 5u, 1u}) {
    const auto decision = (*method)->decide(embed(kind, 100 + seed++));
    if (!decision.ok()) return fail(decision.error());
    std::printf("%s\n", (*method)->explain(*decision).c_str());
  }

  const auto memory = (*method)->view();
  for (paco::CategoryId id = 4; id < memory->categories.next(); ++id) {
    const paco::CategoryInfo category = memory->info(id);
    std::printf("%s holds %lld sample(s)\n", category.name.c_str(),
                static_cast<long long>(category.size));
  }
  return memory->discovered == 0 ? 1 : 0;
}
