// The memory of a method while it decides: sizes of the known classes, and the categories with
// their prototypes and births.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discover/boundary.hpp"
#include "discover/snapshot.hpp"
#include "paco/model.hpp"
#include "sphere/block_products.hpp"

namespace paco {

class Memory {
 public:
  explicit Memory(const Model& model);

  std::size_t known() const { return class_sizes_.size(); }
  std::size_t categories() const { return prototypes_.size(); }
  const PrototypeSet& prototypes() const { return prototypes_; }
  const Boundary& boundary() const { return boundary_.now(); }
  std::size_t mature() const { return boundary_.mature(); }

  // Begins the products of a block of samples with the categories.
  void begin_block(SampleBlock& samples, BlockProducts& products, ThreadPool& pool);
  // The format that samples must have in the blocks to come.
  void change_format(ScreenFormat format) { prototypes_.change_format(format); }

  // `sample_error` is that of the sample's row of products (ScreenedRow).
  void add_to_class(std::size_t k);
  std::size_t create(const float* unit, std::uint64_t sequence,
                     float sample_error);  // the new category's index
  void add_to_category(std::size_t c, const float* unit, float sample_error);

  // The log of a prototype's smoothed share of all samples, exact; k counts known classes, then
  // categories.
  double log_share(std::size_t k) const;
  // The same of a prototype without samples.
  double log_empty_share() const;
  // The part of log_share that differs between prototypes, log(1 + n / alpha), in float32 for
  // screening.
  const float* class_priors() const { return class_priors_.data(); }
  const float* category_priors() const { return category_priors_.data(); }
  float largest_prior() const { return largest_prior_; }

  // Bytes kept for each category, its share of the boundary's order included.
  std::size_t bytes_per_category() const;

  Snapshot snapshot() const;  // the fields that the memory knows
  void restore(const Snapshot& snapshot);
  MemoryView view(const MethodStats& stats) const;

 private:
  float prior(std::int64_t size);
  // What shares are shares of.
  double smoothed_total() const;

  const Model& model_;
  std::vector<std::int64_t> class_sizes_;
  std::int64_t total_ = 0;  // samples in all prototypes
  PrototypeSet prototypes_;
  GrowingArray<std::int64_t> births_;
  std::vector<float> class_priors_;
  GrowingArray<float> category_priors_;
  float largest_prior_ = 0;
  AdaptiveBoundary boundary_;
};

}  // namespace paco
