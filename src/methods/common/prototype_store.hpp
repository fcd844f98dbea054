// Where the prototypes of a fast method point: fixed references in one bank, adapting prototypes as
// sums in another, and on a shelf the sums of those that take no part at present.
//
// The table says who takes part and how; this follows it. Places in the banks are an engine's own
// business: answers speak of prototype numbers, and ties go to the lowest number wherever it
// stands.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "math/prefilter.hpp"
#include "methods/common/block_products.hpp"
#include "methods/common/prototype_table.hpp"

namespace paco::methods {

class Memory {
 public:
  Memory(const Model& model, const PrototypeTable& table);

  // Fixed references: places 0 .. references() - 1, in order of prototype number.
  std::size_t references() const { return reference_ids_.size(); }
  const PrototypeId* reference_ids() const { return reference_ids_.data(); }
  const float* reference_row(std::size_t place) const {
    return rows_of_references() + place * dimension_;
  }
  const math::Prefilter& reference_bank() const { return reference_bank_; }
  // Does some category own several references?
  bool shares_references() const { return shares_references_; }

  // Adapting prototypes.
  const PrototypeSet& adapting() const { return adapting_; }
  const PrototypeId* adapting_ids() const { return adapting_ids_.data(); }

  // Where a competing prototype stands, in the bank that the table says.
  std::size_t place(PrototypeId id) const { return places_[static_cast<std::size_t>(id)]; }

  // Begins the products of a block of samples with the adapting prototypes.
  void begin_block(math::SampleBlock& samples, BlockProducts& products, core::ThreadPool& pool) {
    products.begin(samples, adapting_, pool);
  }
  // The format that samples must have in the blocks to come.
  void change_format(math::PrefilterFormat format);
  math::PrefilterFormat format() const { return reference_bank_.format(); }

  // `sample_error` is that of the sample's row of products (PrefilterRow).
  void create(PrototypeId id, const float* unit, float sample_error);
  void join(PrototypeId id, const float* unit, float sample_error) {
    adapting_.join(place(id), unit, sample_error);
  }

  // Of a discovered prototype, wherever it stands.
  std::span<const double> sum(PrototypeId id) const;
  double resultant(PrototypeId id) const;

  // The table has changed. `row` gives the fixed direction of a promoted prototype.
  template <class Row>
  void follow(Row row) {
    follow_adapting();
    reference_rows_.clear();
    for (const PrototypeId id : wanted_references()) {
      const auto& direction = row(id);
      reference_rows_.insert(reference_rows_.end(), direction.begin(), direction.end());
    }
    set_references();
  }
  // Another sum for a prototype; it takes its place at the next follow().
  void set_sum(PrototypeId id, std::vector<double> sum);

  // Bytes kept for each adapting prototype.
  std::size_t bytes_per_prototype() const;

 private:
  const float* rows_of_references() const {
    return reference_rows_.empty() ? model_.references.data() : reference_rows_.data();
  }
  void follow_adapting();
  std::vector<PrototypeId> wanted_references() const;
  void set_references();

  const Model& model_;
  const PrototypeTable& table_;
  std::size_t dimension_;
  std::vector<PrototypeId> reference_ids_;
  std::vector<float> reference_rows_;  // empty while they are just the model's
  math::Prefilter reference_bank_;
  bool shares_references_ = false;
  PrototypeSet adapting_;
  core::GrowingArray<PrototypeId> adapting_ids_;
  core::GrowingArray<std::uint32_t> places_;  // by prototype number
  std::map<PrototypeId, std::vector<double>> shelf_;
};

}  // namespace paco::methods
