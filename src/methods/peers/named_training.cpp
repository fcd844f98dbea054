// SynC's head if the known classes' names are given as vectors, one per class, from any text
// encoder. The head transforms embeddings to the space of the names, so that a sample lies near its
// class and near its name. The contrastive loss compares two views of a sample, the name of its
// class and, after the start of the training, the running mean of its class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "io/embeddings.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr double kTemperature = 0.07;
constexpr int kViews = 2;
constexpr float kMomentum = 0.9f;  // of the means of classes

// Running means of the classes over the batches.
class RunningMeans {
 public:
  RunningMeans(std::size_t classes, std::size_t width) : means_(classes, width), seen_(classes) {}

  void follow(Rows<const float> units, std::span<const std::int64_t> labels) {
    for (std::size_t i = 0; i < units.rows; ++i) {
      const auto k = static_cast<std::size_t>(labels[i]);
      const float kept = seen_[k] != 0 ? kMomentum : 0;
      for (std::size_t j = 0; j < units.columns; ++j)
        means_[k][j] = kept * means_[k][j] + (1 - kept) * units[i][j];
      seen_[k] = 1;
    }
  }
  math::Matrix<float> directions() const { return unit_rows(means_).units; }

 private:
  math::Matrix<float> means_;
  std::vector<std::uint8_t> seen_;
};

// Appends the rows of `table` with the given labels to `to`.
void append_by_label(const math::Matrix<float>& table, std::span<const std::int64_t> labels,
                     std::size_t row, math::Matrix<float>& to) {
  for (const std::int64_t label : labels) {
    const auto from = table[static_cast<std::size_t>(label)];
    std::copy(from.begin(), from.end(), to[row++].begin());
  }
}

}  // namespace

Result<math::Matrix<float>> read_name_vectors(const std::string& file, const Model& model) {
  PACO_ASSIGN(const math::Matrix<double> rows, io::read_embeddings(file));
  const std::size_t classes = model.known_classes();
  if (rows.rows() != classes) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{}: {} vectors of names for {} known classes", file, rows.rows(), classes),
        "give one row for each known class, in the order of the model's classes"};
  }
  math::Matrix<float> vectors(classes, rows.columns());
  for (std::size_t k = 0; k < classes; ++k) {
    const bool nothing =
        std::all_of(rows[k].begin(), rows[k].end(), [](double x) { return x == 0; });
    if (nothing) {
      return Error{
          ErrorCode::bad_value,
          fmt::format("{}: row {}, the name '{}', is all zeros", file, k, model.class_names[k]),
          "every name needs a vector that says something"};
    }
    for (std::size_t j = 0; j < rows.columns(); ++j) vectors[k][j] = static_cast<float>(rows[k][j]);
  }
  return unit_rows(vectors).units;
}

Result<Head> train_named_head(SupportView& support, const HeadTrainingSet& set,
                              const TrainingOptions& options, const math::Matrix<float>& names) {
  core::ThreadPool& pool = support.pool();
  core::Random random(options.seed);
  Stack trunk(pool), outputs(pool);
  const std::size_t width = names.columns();
  outputs.linear(add_trunk(trunk, set.units.columns(), options.width, random), width, true, random);
  std::vector<HeadParameter*> parameters;
  for (Stack* stack : {&trunk, &outputs}) stack->add_parameters(parameters);
  Adam adam(std::move(parameters));
  RunningMeans means(set.classes, width);
  int done = 0;
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        const UnitRows units = unit_rows(
            outputs.forward(trunk.forward(views_of(set, rows, kViews, options.borrowed, own))));
        const bool with_means = ++done > options.steps / 10;
        const std::vector<std::int64_t> once = labels_of(set, rows, 1);
        const int sides = kViews + (with_means ? 2 : 1);
        math::Matrix<float> all(rows.size() * static_cast<std::size_t>(sides), width), gradient;
        std::copy_n(units.units.data(), units.units.rows() * width, all.data());
        append_by_label(names, once, units.units.rows(), all);
        if (with_means)
          append_by_label(means.directions(), once, units.units.rows() + rows.size(), all);
        supervised_contrastive(all, labels_of(set, rows, sides), kTemperature, pool, gradient);
        // Names and means are constants here: they get no gradient.
        math::Matrix<float> by_view(units.units.rows(), width);
        std::copy_n(gradient.data(), by_view.rows() * width, by_view.data());
        means.follow(units.units, labels_of(set, rows, kViews));
        trunk.backward(outputs.backward(through_unit_rows(units, std::move(by_view))), false);
      }));
  Stack* const stacks[] = {&trunk, &outputs};
  return Head(frozen_layers(set, stacks));
}

}  // namespace paco::methods
