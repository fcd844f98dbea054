// Synthetic embeddings (io/synthetic_data.hpp) as tests of the decision layer need them: raw
// coordinates have scales and means of their own, a class has a single sample. Everything follows
// from the seed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "io/synthetic_data.hpp"
#include "math/matrix.hpp"
#include "methods/paco/paco_section.hpp"
#include "paco/given_head.hpp"
#include "paco/method.hpp"
#include "paco/thresholds.hpp"

namespace paco::testing {

struct MadePlan {
  std::size_t dimension = 12;
  std::size_t known = 5;
  std::size_t novel = 5;       // classes that only the stream has
  std::size_t per_class = 10;  // support samples of a known class; class 0 has a single one
  std::size_t stream = 150;
  double noise = 0.45;  // against directions of length 1
};

struct SyntheticData {
  math::Matrix<double> support, stream;
  std::vector<std::int64_t> labels;  // of the support set
  std::vector<std::int64_t> truth;   // of the stream; novel classes follow the known ones

  SupportSet support_set() const { return {support, labels, {}, {}}; }
};

inline SyntheticData make_data(const MadePlan& plan, std::uint64_t seed) {
  const std::size_t d = plan.dimension;
  io::SyntheticShape shape{"", d, plan.known, plan.novel, 0, plan.stream, plan.noise, seed};
  shape.support = plan.known * plan.per_class;
  shape.noise_numbers = 4096 + 4 * d;
  const paco::io::SyntheticData made(shape);
  core::Random random(seed, 4);
  std::vector<double> scale(d), shift(d);
  for (std::size_t j = 0; j < d; ++j) {
    scale[j] = std::exp(random.normal());
    shift[j] = 3 * random.normal();
  }
  const auto raw = [&](std::span<double> row) {
    for (std::size_t j = 0; j < d; ++j) row[j] = shift[j] + scale[j] * row[j];
  };
  SyntheticData data;
  // In no order; of class 0 the first sample alone.
  std::vector<std::size_t> taken;
  for (const std::size_t i : random.permutation(shape.support)) {
    if (i % plan.known == 0 && i != 0) continue;
    taken.push_back(i);
    data.labels.push_back(static_cast<std::int64_t>(i % plan.known));
  }
  data.support = math::Matrix<double>(taken.size(), d);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    made.support_row(taken[i], data.support[i]);
    raw(data.support[i]);
  }
  data.stream = made.stream(0, plan.stream);
  for (std::size_t i = 0; i < plan.stream; ++i) {
    data.truth.push_back(made.stream_label(i));
    raw(data.stream[i]);
  }
  return data;
}

// Sizes and noise that differ from seed to seed, so that every branch is met.
inline MadePlan varied_plan(std::uint64_t seed) {
  core::Random random(seed, 1);
  MadePlan plan;
  plan.dimension = 2 + random.below(40);
  plan.known = 3 + random.below(6);
  plan.novel = random.below(8);
  plan.per_class = 2 + random.below(12);
  plan.noise = random.uniform(0.1, 1.5);
  return plan;
}

inline CalibrationOptions varied_options(std::uint64_t seed) {
  core::Random random(seed, 2);
  CalibrationOptions options;
  options.set("tie", tie_name(static_cast<Tie>(random.below(3))));
  options.set("temperature", random.below(3) == 0 ? 0.07 : 1.0);
  options.set("alpha", random.below(3) == 0 ? 3.0 : 1e6);
  options.set("spread", random.below(3) == 0 ? -1.0 : 1.0);
  options.set("routing", random.below(4) != 0 ? "on" : "off");
  options.set("adaptive_birth", random.below(4) != 0 ? "on" : "off");
  options.set("seed", static_cast<double>(seed));
  return options;
}

inline std::shared_ptr<const Model> calibrated_alone(const SupportSet& support,
                                                     const CalibrationOptions& options = {},
                                                     const GivenHead& head = {}) {
  auto model = calibrate(support, options, head);
  if (model.ok()) return std::make_shared<const Model>(std::move(model).value());
  ADD_FAILURE() << model.error().message;
  return nullptr;
}

// Stands for a head that was trained from images: random numbers, by the names of released code.
inline GivenHead made_head(const std::string& method, std::size_t dimension, std::size_t classes) {
  constexpr std::size_t kHidden = 6, kBits = 5;
  GivenHead head;
  core::Random random(7, 3);
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape, bool positive) {
    std::size_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    std::vector<float> values(count);
    for (float& value : values)
      value = static_cast<float>(positive ? random.uniform(0.5, 1.5) : random.normal());
    head[name] = {std::move(shape), std::move(values)};
  };
  const auto linear = [&](const std::string& name, std::size_t inputs, std::size_t outputs) {
    add(name + ".weight", {outputs, inputs}, false);
    add(name + ".bias", {outputs}, false);
  };
  const auto norm = [&](const std::string& name, std::size_t width) {
    for (const char* part : {".weight", ".running_var"}) add(name + part, {width}, true);
    for (const char* part : {".bias", ".running_mean"}) add(name + part, {width}, false);
  };
  const auto mlp = [&](const std::string& prefix, std::size_t inputs) {
    linear(prefix + "mlp.0", inputs, kHidden);
    linear(prefix + "mlp.2", kHidden, kHidden);
    linear(prefix + "mlp.4", kHidden, kHidden);
    norm(prefix + "mlp.5", kHidden);
    add(prefix + "hash.weight", {kBits, kHidden}, false);
    norm(prefix + "bn_h", kBits);
  };
  if (method == "smile") mlp("", dimension);
  if (method == "phe") {
    linear("add_on_layers.0", dimension, dimension);
    mlp("hash_head.", dimension);
    add("prototype_vectors_global", {2 * classes, dimension}, false);
  }
  if (method == "ltc" || method == "talon") add("classifier.weight", {classes, dimension}, false);
  if (method == "ltc") head["threshold"] = {{1}, std::vector<float>{0.7f}};
  return head;
}

// A head as small as can be and hardly trained: what is decided with it is none the less exact.
inline CalibrationOptions quick_options(const std::string& method) {
  CalibrationOptions options;
  options.method = method;
  for (const MethodOption& option : method_info(method).value()->options) {
    if (option.name == "splits") options.set("splits", 2);
    if (option.name == "steps") options.set("steps", 1);
    if (option.name == "width") options.set("width", 4);
    if (option.name == "prototypes") options.set("prototypes", 2);
  }
  return options;
}

// Made for PACO, with the section of mirror beside it, and where `peers` asks for it those of all
// others, so that one model serves every method of the registry.
inline std::shared_ptr<const Model> calibrated(const SupportSet& support,
                                               const CalibrationOptions& options = {},
                                               bool peers = true) {
  auto model = calibrate(support, options);
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  constexpr std::size_t kSmall = 64;  // heads of long embeddings take long
  for (const std::string& name : method_names()) {
    const std::string section(method_info(name).value()->section);
    if (options.method != "paco" || model->sections.contains(section)) continue;
    if (section != "mirror" && (!peers || support.embeddings.columns > kSmall)) continue;
    const auto made =
        calibrate(support, quick_options(name),
                  made_head(name, support.embeddings.columns, model->known_classes()));
    if (made.ok()) {
      model->sections[section] = made->sections.at(section);
    } else {
      ADD_FAILURE() << made.error().message;
    }
  }
  return std::make_shared<const Model>(std::move(model).value());
}

// What PACO learned, out of a model that must have it.
inline PacoParameters parameters_of(const Model& model) {
  auto parameters = paco_parameters(model);
  if (!parameters.ok()) ADD_FAILURE() << parameters.error().message;
  return parameters.ok() ? std::move(parameters).value() : PacoParameters();
}

// A section of a model with these parameters, the options among them.
inline Section section_with(const PacoParameters& p) {
  CalibrationOptions given;
  given.set("temperature", p.options.temperature);
  given.set("alpha", p.options.alpha);
  given.set("beta", p.options.beta);
  given.set("spread", p.options.spread);
  given.set("tie", tie_name(p.options.tie));
  given.set("routing", p.options.routing ? "on" : "off");
  given.set("adaptive_birth", p.options.adaptive_birth ? "on" : "off");
  const auto settings = complete_settings(methods::paco_options(), given.settings,
                                          MethodOption::Stage::calibrating, "paco");
  if (!settings.ok()) ADD_FAILURE() << settings.error().message;
  return methods::paco_section(*settings, p);
}

// The number that a method's summary has under this name.
inline double figure(const Method& method, const std::string& name) {
  for (const Statistic& f : method.statistics()) {
    if (f.name == name) return f.value;
  }
  ADD_FAILURE() << method.name() << " has no figure '" << name << "'";
  return kNotComputed;
}

inline std::unique_ptr<Method> method_for(const std::string& name,
                                          std::shared_ptr<const Model> model, int threads = 1) {
  auto method = make_method(name, std::move(model), {threads, {}});
  if (!method.ok()) ADD_FAILURE() << method.error().message;
  return std::move(method).value();
}

// All rows in blocks of `block`.
inline std::vector<Decision> decide_all(Method& method, Rows<const double> rows,
                                        std::size_t block) {
  std::vector<Decision> decisions(rows.rows);
  for (std::size_t start = 0; start < rows.rows; start += block) {
    const std::size_t count = std::min(block, rows.rows - start);
    const auto done =
        method.decide_block(rows.slice(start, count), std::span(decisions).subspan(start, count));
    if (!done.ok()) ADD_FAILURE() << done.error().message;
  }
  return decisions;
}

// The core and every evidence place, bit for bit; a value that was not computed equals another that
// was not.
inline ::testing::AssertionResult same_decision(const Decision& a, const Decision& b) {
  const auto differ = [](const char* field, auto x, auto y) {
    return ::testing::AssertionFailure() << field << ": " << x << " against " << y;
  };
  if (a.sequence != b.sequence) return differ("sequence", a.sequence, b.sequence);
  if (a.category != b.category) return differ("category", a.category, b.category);
  if (a.prototype != b.prototype) return differ("prototype", a.prototype, b.prototype);
  if (a.verdict != b.verdict)
    return differ("verdict", verdict_name(a.verdict), verdict_name(b.verdict));
  if (a.counted != b.counted) return differ("counted", a.counted, b.counted);
  if (a.runner_up != b.runner_up) return differ("runner_up", a.runner_up, b.runner_up);
  if (a.categories_after != b.categories_after)
    return differ("categories_after", a.categories_after, b.categories_after);
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const auto number = [](const std::string& name, double x, double y) {
    return ::testing::AssertionFailure()
           << name << ": " << ::testing::PrintToString(x) << " against "
           << ::testing::PrintToString(y) << ", difference " << x - y;
  };
  if (!same(a.score, b.score)) return number("score", a.score, b.score);
  if (!same(a.threshold, b.threshold)) return number("threshold", a.threshold, b.threshold);
  for (std::size_t i = 0; i < kMaxEvidence; ++i) {
    if (!same(a.evidence[i], b.evidence[i]))
      return number("evidence " + std::to_string(i), a.evidence[i], b.evidence[i]);
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult same_decisions(std::span<const Decision> a,
                                                 std::span<const Decision> b) {
  if (a.size() != b.size())
    return ::testing::AssertionFailure() << a.size() << " against " << b.size() << " decisions";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (auto same = same_decision(a[i], b[i]); !same)
      return ::testing::AssertionFailure() << "sample " << i << ": " << same.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace paco::testing
