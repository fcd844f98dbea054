// The heads of RankStat and WTA: an embedding of few numbers, from which a linear classifier
// predicts the known classes. Only the originals' supervised stage is used; there is no unlabelled
// data before the stream.
#include "core/try.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {

Result<Head> train_classified_head(SupportView& support, const HeadTrainingSet& set,
                                   const TrainingOptions& options, std::size_t outputs) {
  core::ThreadPool& pool = support.pool();
  core::Random random(options.seed);
  Stack trunk(pool), embedding(pool), classifier(pool);
  const std::size_t narrow = add_trunk(trunk, set.units.columns(), options.width, random);
  embedding.linear(narrow, outputs, false, random).normalise();
  classifier.linear(outputs, set.classes, true, random);
  std::vector<HeadParameter*> parameters;
  for (Stack* stack : {&trunk, &embedding, &classifier}) stack->add_parameters(parameters);
  Adam adam(std::move(parameters));
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        math::Matrix<float> x = views_of(set, rows, 1, options.borrowed, own), gradient;
        const math::Matrix<float> logits =
            classifier.forward(embedding.forward(trunk.forward(std::move(x))));
        cross_entropy(logits, labels_of(set, rows, 1), gradient);
        trunk.backward(embedding.backward(classifier.backward(std::move(gradient))), false);
      }));
  Stack* const stacks[] = {&trunk, &embedding};
  return Head(frozen_layers(set, stacks));
}

}  // namespace paco::methods
