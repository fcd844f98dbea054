// One random case of the laws: data, options and model, all from a seed. And models made by hand,
// for cases in which numbers must be exact.
#pragma once

#include <map>

#include "synthetic_data.hpp"

namespace paco::testing {

// Does the calibration of a method draw random weights, or is it given a head? They belong to
// coordinates and class numbers, so that renumbering these changes what is decided.
inline bool draws_weights(const std::string& name) {
  const auto& options = method_info(name).value()->options;
  return takes_head(name) || std::any_of(options.begin(), options.end(),
                                         [](const MethodOption& o) { return o.name == "steps"; });
}

// The methods that a law is tried on: all of them for the first seeds, later those that need no
// training.
inline std::vector<std::string> methods_for(std::uint64_t seed) {
  constexpr std::uint64_t kTrained = 7;
  std::vector<std::string> names = method_names();
  if (seed >= kTrained) std::erase_if(names, draws_weights);
  return names;
}

struct LawCase {
  SyntheticData data;
  CalibrationOptions options;  // of PACO
  std::shared_ptr<const Model> model;
  mutable std::map<std::string, std::shared_ptr<const Model>> others = {};

  // The same model where it has the section that a method reads, else one made for that method.
  std::shared_ptr<const Model> model_of(const std::string& method) const {
    const auto info = method_info(method);
    if (!info.ok() || model->section((*info)->section).ok()) return model;
    auto& made = others[method];
    if (!made) {
      made = calibrated_alone(data.support_set(), quick_options(method),
                              made_head(method, data.support.columns(), model->known_classes()));
    }
    return made;
  }
  std::unique_ptr<Method> method(const std::string& name, int threads = 1) const {
    return method_for(name, model_of(name), threads);
  }
};

inline LawCase law_case(std::uint64_t seed) {
  LawCase c{make_data(varied_plan(seed), seed), varied_options(seed), nullptr};
  // Copies and opposites of earlier samples: exact ties, kappa's clamp, sums that cancel.
  if (seed % 3 == 0) {
    core::Random random(seed, 3);
    for (std::size_t i = 1; i < c.data.stream.rows(); i += 4) {
      const auto other = c.data.stream[random.below(i)];
      std::copy(other.begin(), other.end(), c.data.stream[i].begin());
    }
  }
  c.model = calibrated(c.data.support_set(), c.options, false);
  return c;
}

// A method that keeps candidates and moves members by itself.
inline bool rehearses(const std::string& name) {
  return method_info(name).value()->section == "mirror";
}

inline std::string saved(const Method& method) {
  const auto bytes = method.save();
  EXPECT_TRUE(bytes.ok());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// A model in which raw features are the units themselves, so that signs and ties can be exact.
inline std::shared_ptr<const Model> identity_model(std::size_t d, std::vector<float> references,
                                                   double tau_birth, double tau_create,
                                                   double alpha = 1e6) {
  Model model;
  model.dimension = d;
  const std::size_t known = references.size() / d;
  for (std::size_t k = 0; k < known; ++k) {
    model.class_names.push_back(std::to_string(k));
    model.class_sizes.push_back(4);
  }
  model.mean.assign(d, 0);
  model.deviation.assign(d, 1);
  model.references = std::move(references);
  PacoParameters p;
  p.options.alpha = alpha;
  p.hi.value = 0.5;
  p.tau_lo = -2;
  p.birth.value = p.tau_birth_sup = tau_birth;
  p.create.value = tau_create;
  p.base_median = 4;
  model.sections["paco"] = section_with(p);
  model.sections["leader"].numbers["leader"] = tau_birth;
  model.sections["closed"];
  return std::make_shared<const Model>(std::move(model));
}

// The first three axes as references.
inline std::vector<float> three_axes(std::size_t d) {
  std::vector<float> references(3 * d, 0.0f);
  for (std::size_t k = 0; k < 3; ++k) references[k * d + k] = 1;
  return references;
}

// Samples on the unit sphere that have nothing to do with each other.
inline math::Matrix<double> random_directions(std::size_t rows, std::size_t d,
                                              core::Random& random) {
  math::Matrix<double> out(rows, d);
  for (std::size_t i = 0; i < rows; ++i) {
    double squared = 0;
    for (double& x : out[i]) x = random.normal(), squared += x * x;
    for (double& x : out[i]) x /= std::sqrt(squared);
  }
  return out;
}

}  // namespace paco::testing
