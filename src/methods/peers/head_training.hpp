// The training of each peer's head. All functions take unit embeddings with labels and return
// layers. They do not depend on how a stream is decided.
#pragma once

#include "methods/peers/codes.hpp"
#include "methods/peers/training.hpp"

namespace paco::methods {

// DiffGRE's additional losses, on the features of the trunk: classification (weight 1), and pulling
// each feature to the leader of its class (weight 0.3). A leader is the mean direction of the class
// in the batch. With no classes it adds nothing.
class Leaders {
 public:
  Leaders(std::size_t classes, std::size_t width, core::ThreadPool& pool, core::Random& random);
  void add_parameters(std::vector<HeadParameter*>& to);
  // Adds to `gradient`, the gradient of the features.
  void add(const math::Matrix<float>& features, std::span<const std::int64_t> labels,
           math::Matrix<float>& gradient);

 private:
  core::ThreadPool& pool_;
  std::size_t classes_;
  Stack classifier_;
};

// SMILE; with `leaders`, DiffGRE's losses beside its own.
Result<Head> train_smile_head(SupportView& support, const HeadTrainingSet& set,
                              const TrainingOptions& options, std::size_t bits, bool leaders);
// The plain hash baseline; with `meta`, trained as MLDG.
Result<Head> train_hash_head(SupportView& support, const HeadTrainingSet& set,
                             const TrainingOptions& options, std::size_t bits, bool meta);
// An embedding of `outputs` numbers under a linear classifier, for RankStat and WTA.
Result<Head> train_classified_head(SupportView& support, const HeadTrainingSet& set,
                                   const TrainingOptions& options, std::size_t outputs);

struct PheHead {
  Head head;
  std::vector<Code> centres;  // of the known classes
};
// PHE; with `leaders`, DiffGRE's losses beside its own.
Result<PheHead> train_phe_head(SupportView& support, const HeadTrainingSet& set,
                               const TrainingOptions& options, std::size_t bits,
                               std::size_t prototypes, bool leaders);

// LTC and TALON: a linear layer into a space of angles, and for LTC the threshold that it learned.
struct SpaceHead {
  Head head;
  double threshold = 0;
};
Result<SpaceHead> train_ltc_head(SupportView& support, const HeadTrainingSet& set,
                                 const TrainingOptions& options);
Result<SpaceHead> train_talon_head(SupportView& support, const HeadTrainingSet& set,
                                   const TrainingOptions& options);

// The output of a head for several views of every support sample, as points on the sphere. The head
// has not seen these views, so they lie as far from the centres as samples of a stream do.
struct Views {
  math::Matrix<float> points;
  std::vector<std::int64_t> labels;
};
Views views_through(const Head& head, const HeadTrainingSet& set, core::ThreadPool& pool);

// Reads a vector of length 1 for each known class from a file of embeddings. The order is that of
// the classes.
Result<math::Matrix<float>> read_name_vectors(const std::string& file, const Model& model);
// SynC with class names: the head transforms embeddings to the space of the names' vectors
// (classes, outputs).
Result<Head> train_named_head(SupportView& support, const HeadTrainingSet& set,
                              const TrainingOptions& options, const math::Matrix<float>& names);

// DiffGRE's virtual samples without its diffusion model: points between two known classes. Those
// least similar to all known classes are kept, as many as there are labelled samples. They are
// grouped into as many virtual classes as there are known ones.
HeadTrainingSet with_virtual_samples(const HeadTrainingSet& set, std::uint64_t seed);

}  // namespace paco::methods
