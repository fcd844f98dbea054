#include "methods/common/prototype_table.hpp"

#include <utility>

namespace paco::methods {

PrototypeTable::PrototypeTable(const Model& model) {
  for (std::size_t k = 0; k < model.known_classes(); ++k) {
    PrototypeRecord record;
    record.owner = static_cast<CategoryId>(k);
    record.members = model.class_sizes[k];
    record.support = true;
    add(record);
  }
}

void PrototypeTable::mark(PrototypeId id) {
  const auto i = static_cast<std::size_t>(id);
  if (is_changed_[i] != 0) return;
  is_changed_[i] = 1;
  changed_.push_back(id);
}

PrototypeRecord& PrototypeTable::edit(PrototypeId id) {
  mark(id);
  return records_[static_cast<std::size_t>(id)];
}

PrototypeId PrototypeTable::add(PrototypeRecord record) {
  const auto id = static_cast<PrototypeId>(records_.size());
  records_.push_back(record);
  is_changed_.push_back(0);
  mark(id);
  if (record.competing()) {
    ++competing_;
    samples_ += record.size();
  }
  return id;
}

void PrototypeTable::joined(PrototypeId id, bool counted) {
  PrototypeRecord& record = edit(id);
  ++(counted ? record.counted : record.members);
  ++samples_;
}

void PrototypeTable::recount() {
  competing_ = samples_ = 0;
  for (const PrototypeRecord& record : records_) {
    if (!record.competing()) continue;
    ++competing_;
    samples_ += record.size();
  }
}

std::vector<PrototypeId> PrototypeTable::take_changed() {
  for (const PrototypeId id : changed_) is_changed_[static_cast<std::size_t>(id)] = 0;
  return std::exchange(changed_, {});
}

}  // namespace paco::methods
