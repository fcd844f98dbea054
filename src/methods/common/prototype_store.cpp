#include "methods/common/prototype_store.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace paco::methods {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;

bool adapts(const PrototypeRecord& record) { return record.competing() && !record.reference(); }

}  // namespace

PrototypeStore::PrototypeStore(Rows<const float> references, const PrototypeTable& table,
                               std::size_t roundings, PrototypeSet::Attach attach)
    : support_(references),
      table_(table),
      dimension_(references.columns),
      reference_bank_(references, math::best_screen_format(dimension_)),
      adapting_(dimension_, roundings, attach) {
  for (std::size_t k = 0; k < references.rows; ++k) {
    reference_ids_.push_back(static_cast<PrototypeId>(k));
    places_.push_back(static_cast<std::uint32_t>(k));
  }
}

void PrototypeStore::change_format(math::PrefilterFormat format) {
  adapting_.change_format(format);
  reference_bank_ =
      math::Prefilter({rows_of_references(), reference_ids_.size(), dimension_}, format);
}

void PrototypeStore::create(PrototypeId id, const float* unit, float sample_error) {
  std::size_t place = adapting_.size();
  if (free_.empty()) {
    adapting_.add(unit, sample_error);
    adapting_ids_.push_back(id);
  } else {
    place = free_.back();
    free_.pop_back();
    adapting_.add_at(place, unit, sample_error);
    adapting_ids_[place] = id;
  }
  const std::size_t known = places_.size(), number = static_cast<std::size_t>(id);
  if (number >= known) places_.resize(number + 1);
  for (std::size_t i = known; i < number; ++i) places_[i] = kNowhere;
  places_[number] = static_cast<std::uint32_t>(place);
}

bool PrototypeStore::leave(PrototypeId id, const float* unit, float sample_error) {
  const std::size_t at = place(id);
  if (adapting_.members(at) > 1) {
    adapting_.leave(at, unit, sample_error);
    return false;
  }
  drop(id);
  return true;
}

void PrototypeStore::drop(PrototypeId id) {
  const std::size_t at = place(id);
  adapting_.clear(at);
  adapting_ids_[at] = kNoId;
  places_[static_cast<std::size_t>(id)] = kNowhere;
  free_.push_back(at);
}

bool PrototypeStore::stands(PrototypeId id) const {
  const std::size_t number = static_cast<std::size_t>(id);
  if (number >= places_.size()) return false;
  const std::size_t at = places_[number];
  return at < adapting_.size() && adapting_ids_[at] == id;
}

std::vector<double> PrototypeStore::sum(PrototypeId id) const {
  if (stands(id)) {
    const auto values = adapting_.sum(place(id));
    return {values.begin(), values.end()};
  }
  const auto shelved = shelf_.find(id);
  return shelved != shelf_.end() ? shelved->second : std::vector<double>(dimension_, 0.0);
}

double PrototypeStore::resultant(PrototypeId id) const {
  if (stands(id)) return adapting_.resultant(place(id));
  const auto shelved = shelf_.find(id);
  if (shelved == shelf_.end()) return 0;
  return std::sqrt(math::dot(shelved->second.data(), shelved->second.data(), dimension_));
}

// If the prototype is not in the bank, the sum is put on the shelf until follow() adds it.
void PrototypeStore::set_sum(PrototypeId id, std::vector<double> sum) {
  if (stands(id)) {
    adapting_.assign(place(id), sum, std::max<std::int64_t>(table_[id].members, 1));
  } else {
    shelf_[id] = std::move(sum);
  }
}

void PrototypeStore::follow_adapting() {
  const std::size_t known = places_.size();
  places_.resize(table_.size());
  for (std::size_t i = known; i < places_.size(); ++i) places_[i] = kNowhere;
  free_.clear();
  for (std::size_t at = adapting_.size(); at-- > 0;) {
    const PrototypeId id = adapting_ids_[at];
    if (id != kNoId && adapts(table_[id])) continue;
    if (id != kNoId) {
      if (table_[id].exists && table_[id].members > 0) {
        const auto sum = adapting_.sum(at);
        shelf_[id].assign(sum.begin(), sum.end());
      }
      places_[static_cast<std::size_t>(id)] = kNowhere;
    }
    adapting_.remove(at);
    const std::size_t last = adapting_ids_.size() - 1;
    if (at != last) {
      adapting_ids_[at] = adapting_ids_[last];
      places_[static_cast<std::size_t>(adapting_ids_[at])] = static_cast<std::uint32_t>(at);
    }
    adapting_ids_.resize(last);
  }
  for (auto it = shelf_.begin(); it != shelf_.end();) {
    const PrototypeRecord& record = table_[it->first];
    if (adapts(record)) {
      const std::size_t at = adapting_.restore(it->second, record.members);
      adapting_ids_.push_back(it->first);
      places_[static_cast<std::size_t>(it->first)] = static_cast<std::uint32_t>(at);
    }
    // A sum without members is zero, so it is not stored.
    const bool kept = record.exists && record.members > 0 && !adapts(record);
    it = kept ? std::next(it) : shelf_.erase(it);
  }
}

std::vector<PrototypeId> PrototypeStore::wanted_references() const {
  std::vector<PrototypeId> wanted;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const auto id = static_cast<PrototypeId>(i);
    if (table_[id].competing() && table_[id].reference()) wanted.push_back(id);
  }
  return wanted;
}

void PrototypeStore::set_references() {
  reference_ids_ = wanted_references();
  std::set<CategoryId> owners;
  for (std::size_t i = 0; i < reference_ids_.size(); ++i) {
    places_[static_cast<std::size_t>(reference_ids_[i])] = static_cast<std::uint32_t>(i);
    owners.insert(table_[reference_ids_[i]].owner);
  }
  shares_references_ = owners.size() < reference_ids_.size();
  reference_bank_ =
      math::Prefilter({rows_of_references(), reference_ids_.size(), dimension_}, format());
}

std::size_t PrototypeStore::bytes_per_prototype() const {
  return adapting_.bytes_per_prototype() + sizeof(PrototypeId) + sizeof(std::uint32_t);
}

}  // namespace paco::methods
