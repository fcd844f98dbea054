#include "methods/common/prototype_store.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace paco::methods {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;

bool adapts(const PrototypeRecord& record) { return record.competing() && !record.reference(); }

}  // namespace

Memory::Memory(const Model& model, const PrototypeTable& table)
    : model_(model),
      table_(table),
      dimension_(model.dimension),
      reference_bank_({model.references.data(), model.known_classes(), model.dimension},
                      math::best_screen_format(model.dimension)),
      adapting_(model.dimension, BlockProducts::kMaxRows) {
  for (std::size_t k = 0; k < model.known_classes(); ++k) {
    reference_ids_.push_back(static_cast<PrototypeId>(k));
    places_.push_back(static_cast<std::uint32_t>(k));
  }
}

void Memory::change_format(math::PrefilterFormat format) {
  adapting_.change_format(format);
  reference_bank_ =
      math::Prefilter({rows_of_references(), reference_ids_.size(), dimension_}, format);
}

void Memory::create(PrototypeId id, const float* unit, float sample_error) {
  const std::size_t place = adapting_.add(unit, sample_error);
  adapting_ids_.push_back(id);
  places_.resize(static_cast<std::size_t>(id) + 1);
  places_[static_cast<std::size_t>(id)] = static_cast<std::uint32_t>(place);
}

std::span<const double> Memory::sum(PrototypeId id) const {
  const auto shelved = shelf_.find(id);
  if (shelved != shelf_.end()) return shelved->second;
  return adapting_.sum(place(id));
}

double Memory::resultant(PrototypeId id) const {
  const auto shelved = shelf_.find(id);
  if (shelved == shelf_.end()) return adapting_.resultant(place(id));
  return std::sqrt(math::dot(shelved->second.data(), shelved->second.data(), dimension_));
}

// It stands on the shelf until follow() finds its place.
void Memory::set_sum(PrototypeId id, std::vector<double> sum) {
  places_.resize(std::max(places_.size(), static_cast<std::size_t>(id) + 1));
  if (!shelf_.contains(id) && static_cast<std::size_t>(id) < places_.size()) {
    const std::size_t at = place(id);
    if (at < adapting_.size() && adapting_ids_[at] == id) {
      adapting_.assign(at, sum, std::max<std::int64_t>(table_[id].members, 1));
      return;
    }
  }
  shelf_[id] = std::move(sum);
}

void Memory::follow_adapting() {
  places_.resize(table_.size());
  for (std::size_t at = adapting_.size(); at-- > 0;) {
    const PrototypeId id = adapting_ids_[at];
    if (adapts(table_[id])) continue;
    if (table_[id].exists) {
      const auto sum = adapting_.sum(at);
      shelf_[id].assign(sum.begin(), sum.end());
    }
    places_[static_cast<std::size_t>(id)] = kNowhere;
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
    it = adapts(record) || !record.exists ? shelf_.erase(it) : std::next(it);
  }
}

std::vector<PrototypeId> Memory::wanted_references() const {
  std::vector<PrototypeId> wanted;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const auto id = static_cast<PrototypeId>(i);
    if (table_[id].competing() && table_[id].reference()) wanted.push_back(id);
  }
  return wanted;
}

void Memory::set_references() {
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

std::size_t Memory::bytes_per_prototype() const {
  return adapting_.bytes_per_prototype() + sizeof(PrototypeId) + sizeof(std::uint32_t);
}

}  // namespace paco::methods
