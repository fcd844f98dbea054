// The directions of the prototypes of a fast method. One bank holds the fixed references, another
// one holds the adapting prototypes as sums, and a shelf holds the sums of prototypes that do not
// compete at present.
//
// The table defines which prototypes compete and how; this class follows it. Places in the banks
// are internal. Decisions use prototype numbers, and ties go to the lowest number regardless of its
// place.
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
  // `references` (K, d) are the rows of the support classes and must stay alive. `roundings` and
  // `attach` are those of PrototypeSet.
  PrototypeStore(Rows<const float> references, const PrototypeTable& table, std::size_t roundings,
                 PrototypeSet::Attach attach = PrototypeSet::Attach::scored);

  // Fixed references: places 0 .. references() - 1, in order of prototype number.
  std::size_t references() const { return reference_ids_.size(); }
  const PrototypeId* reference_ids() const { return reference_ids_.data(); }
  const float* reference_row(std::size_t place) const {
    return rows_of_references() + place * dimension_;
  }
  const math::Prefilter& reference_bank() const { return reference_bank_; }
  // True if some category owns several references.
  bool shares_references() const { return shares_references_; }

  // Adapting prototypes.
  const PrototypeSet& adapting() const { return adapting_; }
  // Prototype numbers by place; kNoId if the place is free (see leave).
  const PrototypeId* adapting_ids() const { return adapting_ids_.data(); }

  // Place of a competing prototype in its bank; the table says which bank that is.
  std::size_t place(PrototypeId id) const { return places_[static_cast<std::size_t>(id)]; }

  // Begins the products of a block of samples with the adapting prototypes.
  template <class... How>
  void begin_block(math::SampleBlock& samples, BlockProducts& products, How&&... how) {
    products.begin(samples, adapting_, how...);
  }
  // Sets the format that the samples of later blocks must have.
  void change_format(math::PrefilterFormat format);
  math::PrefilterFormat format() const { return reference_bank_.format(); }

  // `sample_error` is the error of the sample's row of products (PrefilterRow).
  void create(PrototypeId id, const float* unit, float sample_error);
  // Removes a sample from a prototype. Returns true if it was the last one; then the place is free,
  // and the next prototype that is created uses it.
  bool leave(PrototypeId id, const float* unit, float sample_error);
  // Removes all samples of a prototype.
  void drop(PrototypeId id);
  void join(PrototypeId id, const float* unit, float sample_error) {
    adapting_.join(place(id), unit, sample_error);
  }

  // For any discovered prototype.
  std::vector<double> sum(PrototypeId id) const;
  double resultant(PrototypeId id) const;

  // Call this after the table has changed. `row` returns the fixed direction of a promoted
  // prototype.
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
  // Sets another sum for a prototype. It is used from the next follow() on.
  void set_sum(PrototypeId id, std::vector<double> sum);

  // Bytes kept for each adapting prototype.
  std::size_t bytes_per_prototype() const;

 private:
  const float* rows_of_references() const {
    return reference_rows_.empty() ? support_.data : reference_rows_.data();
  }
  // True if it is in the bank of adapting prototypes.
  bool stands(PrototypeId id) const;
  void follow_adapting();
  std::vector<PrototypeId> wanted_references() const;
  void set_references();

  Rows<const float> support_;
  const PrototypeTable& table_;
  std::size_t dimension_;
  std::vector<PrototypeId> reference_ids_;
  std::vector<float> reference_rows_;  // empty if they equal the support classes' rows
  math::Prefilter reference_bank_;
  bool shares_references_ = false;
  PrototypeSet adapting_;
  core::GrowingArray<PrototypeId> adapting_ids_;
  std::vector<std::size_t> free_;             // free places of adapting_
  core::GrowingArray<std::uint32_t> places_;  // by prototype number
  std::map<PrototypeId, std::vector<double>> shelf_;
};

}  // namespace paco::methods
