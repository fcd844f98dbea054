#include "discover/memory.hpp"

#include <algorithm>
#include <cmath>

#include "discover/methods.hpp"

namespace paco {

Memory::Memory(const Model& model)
    : model_(model),
      class_sizes_(model.class_sizes),
      prototypes_(model.dimension, BlockProducts::kMaxRows),
      boundary_(model) {
  for (const std::int64_t size : class_sizes_) {
    total_ += size;
    class_priors_.push_back(prior(size));
  }
}

float Memory::prior(std::int64_t size) {
  const auto value =
      static_cast<float>(std::log1p(static_cast<double>(size) / model_.options.alpha));
  largest_prior_ = std::max(largest_prior_, value);
  return value;
}

void Memory::begin_block(SampleBlock& samples, BlockProducts& products, ThreadPool& pool) {
  products.begin(samples, prototypes_, pool);
}

void Memory::add_to_class(std::size_t k) {
  ++total_;
  ++class_sizes_[k];
  class_priors_[k] = prior(class_sizes_[k]);
}

std::size_t Memory::create(const float* unit, std::uint64_t sequence, float sample_error) {
  const std::size_t c = prototypes_.add(unit, sample_error);
  ++total_;
  births_.push_back(static_cast<std::int64_t>(sequence));
  category_priors_.push_back(prior(1));
  boundary_.grown(0, 0, prototypes_.resultant(c));
  return c;
}

void Memory::add_to_category(std::size_t c, const float* unit, float sample_error) {
  const double resultant = prototypes_.resultant(c);
  const std::int64_t size = prototypes_.members(c);
  prototypes_.join(c, unit, sample_error);
  ++total_;
  category_priors_[c] = prior(size + 1);
  boundary_.grown(size, resultant, prototypes_.resultant(c));
}

double Memory::smoothed_total() const {
  return static_cast<double>(total_) +
         static_cast<double>(known() + categories()) * model_.options.alpha;
}

double Memory::log_share(std::size_t k) const {
  const auto size =
      static_cast<double>(k < known() ? class_sizes_[k] : prototypes_.members(k - known()));
  return std::log((size + model_.options.alpha) / smoothed_total());
}

double Memory::log_empty_share() const { return std::log(model_.options.alpha / smoothed_total()); }

std::size_t Memory::bytes_per_category() const {
  return prototypes_.bytes_per_prototype() + sizeof(std::int64_t) + sizeof(float) + sizeof(double);
}

Snapshot Memory::snapshot() const {
  Snapshot s;
  s.model = model_.fingerprint();
  s.class_sizes = class_sizes_;
  for (std::size_t c = 0; c < categories(); ++c) {
    s.sizes.push_back(prototypes_.members(c));
    s.births.push_back(births_[c]);
    s.sums.insert(s.sums.end(), prototypes_.sum(c).begin(), prototypes_.sum(c).end());
  }
  return s;
}

void Memory::restore(const Snapshot& s) {
  for (std::size_t k = 0; k < known(); ++k) {
    total_ += s.class_sizes[k] - class_sizes_[k];
    class_sizes_[k] = s.class_sizes[k];
    class_priors_[k] = prior(class_sizes_[k]);
  }
  const std::size_t d = model_.dimension;
  for (std::size_t c = 0; c < s.sizes.size(); ++c) {
    prototypes_.restore({s.sums.data() + c * d, d}, s.sizes[c]);
    total_ += s.sizes[c];
    births_.push_back(s.births[c]);
    category_priors_.push_back(prior(s.sizes[c]));
    boundary_.restore(s.sizes[c], prototypes_.resultant(c));
  }
  prototypes_.update_copies();  // here, so that the first block does not wait for it
}

MemoryView Memory::view(const MethodStats& stats) const {
  std::vector<std::int64_t> sizes;
  std::vector<double> resultants;
  for (std::size_t c = 0; c < categories(); ++c) {
    sizes.push_back(prototypes_.members(c));
    resultants.push_back(prototypes_.resultant(c));
  }
  return memory_view(model_, stats, class_sizes_, sizes, {births_.data(), births_.size()},
                     resultants, boundary_.now());
}

}  // namespace paco
