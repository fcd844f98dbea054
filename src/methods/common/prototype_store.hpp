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

class PrototypeStore {
 public:
  // `references` (K, d) are the rows of the support classes and have to stay; `roundings` and
  // `attach` as for PrototypeSet.
  PrototypeStore(Rows<const float> references, const PrototypeTable& table, std::size_t roundings,
                 PrototypeSet::Attach attach = PrototypeSet::Attach::scored);

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
  // By place; kNoId at a place that is free (see leave).
  const PrototypeId* adapting_ids() const { return adapting_ids_.data(); }

  // Where a competing prototype stands, in the bank that the table says.
  std::size_t place(PrototypeId id) const { return places_[static_cast<std::size_t>(id)]; }

  // Begins the products of a block of samples with the adapting prototypes.
  template <class... How>
  void begin_block(math::SampleBlock& samples, BlockProducts& products, How&&... how) {
    products.begin(samples, adapting_, how...);
  }
  // The format that samples must have in the blocks to come.
  void change_format(math::PrefilterFormat format);
  math::PrefilterFormat format() const { return reference_bank_.format(); }

  // `sample_error` is that of the sample's row of products (PrefilterRow).
  void create(PrototypeId id, const float* unit, float sample_error);
  // A sample leaves; true if it was the last one. The place is free then, and the next prototype
  // that is created takes it.
  bool leave(PrototypeId id, const float* unit, float sample_error);
  // All of them leave.
  void drop(PrototypeId id);
  void join(PrototypeId id, const float* unit, float sample_error) {
    adapting_.join(place(id), unit, sample_error);
  }

  // Of any discovered prototype.
  std::vector<double> sum(PrototypeId id) const;
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
    return reference_rows_.empty() ? support_.data : reference_rows_.data();
  }
  // Is it in the bank of adapting prototypes?
  bool stands(PrototypeId id) const;
  void follow_adapting();
  std::vector<PrototypeId> wanted_references() const;
  void set_references();

  Rows<const float> support_;
  const PrototypeTable& table_;
  std::size_t dimension_;
  std::vector<PrototypeId> reference_ids_;
  std::vector<float> reference_rows_;  // empty while they are just the support classes'
  math::Prefilter reference_bank_;
  bool shares_references_ = false;
  PrototypeSet adapting_;
  core::GrowingArray<PrototypeId> adapting_ids_;
  std::vector<std::size_t> free_;             // places of adapting_
  core::GrowingArray<std::uint32_t> places_;  // by prototype number
  std::map<PrototypeId, std::vector<double>> shelf_;
};

}  // namespace paco::methods
