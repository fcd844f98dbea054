#include "methods/common/prototype_method.hpp"

#include <algorithm>

#include "core/try.hpp"

namespace paco::methods {

PrototypeMethod::PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                                 const MethodOptions& options)
    : MethodBase(info, std::move(model), options.settings),
      pool_(static_cast<unsigned>(options.threads)),
      memory_(references(), table(), BlockProducts::kMaxRows) {}

PrototypeMethod::PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                                 const MethodOptions& options,
                                 std::shared_ptr<const StandardTransform> space,
                                 Rows<const float> references, std::size_t roundings,
                                 PrototypeSet::Attach attach)
    : MethodBase(info, std::move(model), options.settings, std::move(space), references),
      pool_(static_cast<unsigned>(options.threads)),
      memory_(references, table(), roundings, attach) {}

Result<void> PrototypeMethod::decide_block(Rows<const double> embeddings,
                                           std::span<Decision> decisions) {
  const std::size_t d = model().dimension;
  units_.resize(std::max(units_.size(), decisions.size() * d));
  const Rows<float> units{units_.data(), decisions.size(), d};
  PACO_TRY(space().apply(embeddings, units, samples(), pool_));
  for (std::size_t start = 0; start < units.rows;) {
    const std::size_t rows = std::min(block_rows(), units.rows - start);
    decide_units(units.slice(start, rows), decisions.subspan(start, rows));
    reconsider_format();
    start += rows;
  }
  return {};
}

void PrototypeMethod::multiply_references(math::SampleBlock& samples) {
  const std::size_t references = memory_.references();
  reference_products_.resize(samples.rows() * references);
  memory_.reference_bank().multiply(samples, reference_products_.data(), references, pool_);
}

// 8-bit products are faster as long as they leave few candidates. If all directions are similar, as
// in a stream from another domain than the support set, they leave nearly all prototypes as
// candidates, and float32 is faster. A float32 product takes as long as 5 products of bytes; a
// cosine in double, whose sum is not in a near cache, takes as long as 60. So the two formats break
// even if one product in 15 needs such a cosine.
void PrototypeMethod::reconsider_format() {
  constexpr std::size_t kSamples = 256, kOneIn = 15;
  constexpr std::size_t kAlways = 8;  // cosines per sample that float32 needs too
  if (memory_.format() == math::PrefilterFormat::float32 || watched_.samples < kSamples) return;
  if (kOneIn * watched_.scored > watched_.products + kOneIn * kAlways * watched_.samples)
    memory_.change_format(math::PrefilterFormat::float32);
  watched_ = {};
}

void PrototypeMethod::edited(std::vector<NewSum> sums) {
  for (NewSum& changed : sums) memory_.set_sum(changed.prototype, std::move(changed.sum));
  memory_.follow([&](PrototypeId id) { return direction(id); });
  memory_changed();
}

}  // namespace paco::methods
