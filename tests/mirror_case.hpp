// Models and streams for tests of mirror: synthetic data with hard corners (repeated samples,
// opposite ones, samples of the support set), options and thresholds that differ from seed to seed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "core/progress.hpp"
#include "core/threads.hpp"
#include "io/artifact.hpp"
#include "methods/mirror/calibrate.hpp"
#include "methods/mirror/mirror_method.hpp"
#include "synthetic_data.hpp"

namespace paco::testing {

inline std::size_t classes_of(std::span<const std::int64_t> labels) {
  return labels.empty()
             ? 0
             : 1 + static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end()));
}

inline std::shared_ptr<const methods::MirrorModel> learned_from(
    Rows<const double> support, std::span<const std::int64_t> labels,
    const methods::MirrorOptions& options) {
  core::ThreadPool pool(1);
  core::NoProgress progress;
  auto model =
      methods::calibrate_mirror(support, labels, classes_of(labels), options, pool, progress, {});
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  return std::make_shared<const methods::MirrorModel>(std::move(model).value());
}

inline Settings settings_of(const methods::MirrorOptions& o) {
  CalibrationOptions given;
  given.set("rehearse", o.rehearse);
  given.set("buffer", o.buffer);
  given.set("splits", o.splits);
  given.set("seed", o.seed);
  given.set("odds", o.odds);
  given.set("candidates", o.candidates);
  given.set("prior", o.prior ? "on" : "off");
  return given.settings;
}

// A model with these parameters, which were learned from this support set.
inline std::shared_ptr<const Model> model_with(const methods::MirrorModel& learned,
                                               Rows<const double> support,
                                               std::span<const std::int64_t> labels) {
  CalibrationOptions options;
  options.method = "closed";
  auto model = calibrate({support, labels, {}, {}}, options);
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  model->method = "mirror";
  model->sections["mirror"] = methods::mirror_section(learned, settings_of(learned.options));
  return std::make_shared<const Model>(std::move(model).value());
}

struct MirrorCase {
  methods::MirrorModel learned;
  math::Matrix<double> support, stream;
  std::vector<std::int64_t> labels;
  std::shared_ptr<const Model> model;

  std::unique_ptr<Method> fast(int threads = 1) const {
    return method_for("mirror", model, threads);
  }
  std::unique_ptr<Method> plain() const { return method_for("mirror-reference", model); }
  // The stream in the space in which samples are compared.
  math::Matrix<float> embedded() const {
    math::Matrix<float> units(stream.rows(), stream.columns());
    EXPECT_TRUE(fast()->directions()->transform()->apply(stream, units.view()));
    return units;
  }
  // After `learned` was changed.
  void make_model() { model = model_with(learned, support, labels); }
};

inline MirrorCase mirror_case(std::uint64_t seed) {
  core::Random random(seed, 7);
  MadePlan plan = varied_plan(seed);
  plan.stream = 60 + random.below(200);
  SyntheticData data = make_data(plan, seed);
  methods::MirrorOptions options;
  options.splits = 2;
  options.rehearse = static_cast<int>(random.below(4));
  options.buffer = static_cast<int>(1 + random.below(80));
  options.candidates = static_cast<int>(1 + random.below(30));
  const bool falls = random.below(3) != 0;
  methods::MirrorModel learned = *learned_from(data.support, data.labels, options);
  if (!falls) learned.slope = 0;
  // Thresholds from all over, so that every branch is taken.
  if (random.below(2) == 0) learned.start = random.uniform(-0.2, 1.0);
  if (random.below(3) == 0) learned.sure = random.uniform(-0.5, 1.0);
  for (std::size_t i = 1; i < data.stream.rows(); ++i) {
    const auto row = data.stream[i];
    const auto corner = random.below(10);
    const std::size_t other = random.below(i);
    if (corner == 0) std::copy_n(data.stream[other].data(), row.size(), row.data());
    if (corner == 1) {
      const auto& mean = learned.embedding.mean;
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = 2 * mean[j] - data.stream[other][j];
    }
    if (corner == 2)
      std::copy_n(data.support[random.below(data.support.rows())].data(), row.size(), row.data());
  }
  MirrorCase out{std::move(learned), std::move(data.support), std::move(data.stream),
                 std::move(data.labels), nullptr};
  out.make_model();
  return out;
}

// Everything that stands in a state but the method's name: two forms of one method that decided
// alike have the same.
struct StateContent {
  std::string text;
  std::map<std::string, std::pair<std::vector<std::uint64_t>, io::ArtifactNumbers>> tensors;
  bool operator==(const StateContent&) const = default;

  template <class T>
  const std::vector<T>& values(const std::string& name) const {
    return std::get<std::vector<T>>(tensors.at(name).second);
  }
};

inline StateContent content_of(const Method& method) {
  const auto file = io::artifact_from_bytes(method.save().value(), "state", "state", 1000);
  StateContent out;
  EXPECT_TRUE(file.ok());
  out.text = io::artifact_entry(*file, "state").value();
  for (const io::TensorView& tensor : file->tensors())
    out.tensors[tensor.name] = {tensor.shape, artifact_numbers(*file, tensor).value()};
  return out;
}

// The embeddings of a stream that no journal keeps.
class StreamMembers final : public MemberSource {
 public:
  explicit StreamMembers(Rows<const double> stream) : stream_(stream) {}
  Result<std::vector<Member>> members(PrototypeId) override { return std::vector<Member>(); }
  Result<std::pair<PrototypeId, bool>> membership(std::uint64_t) override {
    return std::pair<PrototypeId, bool>(0, false);
  }
  Result<std::vector<double>> embedding(std::uint64_t sequence) override {
    const auto row = stream_[sequence];
    return std::vector<double>(row.begin(), row.end());
  }

 private:
  Rows<const double> stream_;
};

inline Edit edit_of(Edit::Cell cell, std::int64_t id, std::int64_t from, std::int64_t to) {
  Edit edit;
  edit.cell = cell;
  edit.id = id;
  edit.from = from;
  edit.to = to;
  return edit;
}

// The move of a sample to a prototype.
inline Edit move_of(Method& method, std::uint64_t sequence, PrototypeId filed, bool counted,
                    PrototypeId to) {
  const auto from = method.editor().place(sequence, filed, counted).value();
  Edit edit = edit_of(Edit::Cell::member, static_cast<std::int64_t>(sequence), from.first, to);
  edit.from_counted = from.second;
  edit.to_counted = method.is_reference(to);
  return edit;
}

}  // namespace paco::testing
