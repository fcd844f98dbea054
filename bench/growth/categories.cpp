// A memory of a million categories would take hours to build sample by sample, so it is written as
// a state and restored: what `paco discover --resume` does.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "core/files.hpp"
#include "core/random.hpp"
#include "growth.hpp"
#include "methods/common/state_file.hpp"
#include "paco/thresholds.hpp"

namespace paco::bench {
namespace {

constexpr std::int64_t kMembers = 20;  // of every category

// The direction of category k, of length sqrt(d).
void direction(std::size_t k, std::span<double> row) {
  core::Random random(21, k);
  for (double& x : row) x = random.normal();
}

// A state with that many categories. What a category holds is close to kMembers samples with noise
// as long as their direction: a sum of length about kMembers / sqrt(2).
std::vector<std::byte> state_with(const Harness& harness, const Method& method,
                                  std::size_t categories) {
  const Model& model = method.model();
  methods::State state;
  state.samples = categories * static_cast<std::size_t>(kMembers);
  state.categories = Categories(model.class_names);
  state.prototypes = methods::PrototypeTable(model);
  std::vector<double> sums(categories * model.dimension), row(model.dimension);
  for (std::size_t k = 0; k < categories; ++k) {
    methods::PrototypeRecord record;
    record.owner = state.categories.next();
    record.members = kMembers;
    record.birth = k;
    const PrototypeId p = state.prototypes.add(record);
    state.categories.edit(state.categories.open(p, k)).answered = kMembers;
    direction(k, row);
    const double scale =
        static_cast<double>(kMembers) / std::sqrt(2 * static_cast<double>(row.size()));
    for (std::size_t j = 0; j < row.size(); ++j)
      sums[k * row.size() + j] = static_cast<float>(scale * row[j]);
  }
  const auto all = static_cast<std::int64_t>(state.samples);
  state.own.tensors["sums"] = {{categories, model.dimension}, std::move(sums)};
  state.own.tensors["rows"] = {{0, model.dimension}, std::vector<float>{}};  // nothing is promoted
  state.own.tensors["branches"] = {{4}, std::vector<std::int64_t>{0, all, 0, 0}};
  state.own.tensors["routes"] = {{3}, std::vector<std::int64_t>{0, 0, all}};
  state.own.numbers["lowest_tau_birth"] = harness.take(paco_parameters(model)).tau_birth_sup;
  return harness.take(methods::state_to_bytes(state, method, ""));
}

// Samples around categories, in the raw coordinates that the model standardises.
math::Matrix<double> samples(const Model& model, std::size_t categories, std::size_t count,
                             std::uint64_t seed) {
  math::Matrix<double> rows(count, model.dimension);
  core::Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    direction(random.below(categories), rows[i]);
    for (std::size_t j = 0; j < model.dimension; ++j) {
      rows[i][j] = model.mean[j] + model.deviation[j] * (rows[i][j] + random.normal());
    }
  }
  return rows;
}

void at_dimension(Harness& harness, std::size_t dimension, std::span<const std::size_t> counts) {
  const io::SyntheticData data({"", dimension, 50, 0, 500, 0, 0.7, 5});
  const auto model = std::make_shared<const Model>(harness.take(calibrate_made(data)));
  for (const std::size_t categories : counts) {
    const std::string path = fmt::format("/tmp/paco-bench-growth-{}.paco", ::getpid());
    const auto method = harness.take(make_method("paco", model));
    harness.take(core::write_file(path, state_with(harness, *method, categories)));
    const double before = resident_bytes();
    harness.take(method->restore(path));
    const double grown = resident_bytes() - before;
    harness.take(core::remove_file(path));
    const std::string axis = fmt::format("categories, d {}", dimension);
    Measurement m{"growth", "memory", fmt::format("{} {}", categories, axis), timing_of({0.0}), 1};
    m.more = {{"axis", axis},
              {"at", categories},
              {"bytes_per_category", grown / static_cast<double>(categories)},
              {"promised_bytes", 12 * dimension + 64 + 208}};
    harness.add(std::move(m));
    const std::size_t rows = categories <= 10'000 ? 2048 : 1024;
    add_decisions(harness, *method, samples(*model, categories, rows, 1),
                  samples(*model, categories, categories <= 10'000 ? 256 : 24, 2), axis,
                  categories);
  }
}

}  // namespace

void grow_categories(Harness& harness) {
  const std::size_t small[] = {1'000, 10'000, 100'000, 1'000'000};
  at_dimension(harness, 128, small);
  at_dimension(harness, 768, std::span(small).first(3));
}

}  // namespace paco::bench
