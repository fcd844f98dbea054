// Categories and the view of a method's memory.
#include <fmt/format.h>

#include <algorithm>

#include "paco/category.hpp"

namespace paco {
namespace {

constexpr std::string_view kOwn = "category ";

}  // namespace

Categories::Categories(std::vector<std::string> class_names)
    : class_names_(std::make_shared<const std::vector<std::string>>(std::move(class_names))) {
  for (std::size_t k = 0; k < class_names_->size(); ++k) {
    Category known;
    known.prototypes = {static_cast<PrototypeId>(k)};
    categories_.push_back(std::move(known));
  }
  std::vector<std::string> alike;
  for (const std::string& name : *class_names_) {
    if (name.starts_with(kOwn)) alike.push_back(name);
  }
  if (!alike.empty()) alike_ = std::make_shared<const std::vector<std::string>>(std::move(alike));
}

bool Categories::has(CategoryId id) const { return id >= 0 && id < next() && (*this)[id].exists; }

CategoryId Categories::now(CategoryId id) const {
  while ((*this)[id].forward != kNoId) id = (*this)[id].forward;
  return id;
}

std::string Categories::name(CategoryId id) const {
  if (id >= 0 && id < next() && !(*this)[id].name.empty()) return (*this)[id].name;
  return own_name(id);
}

std::string Categories::own_name(CategoryId id) const {
  const auto k = static_cast<std::size_t>(id);
  if (id >= 0 && k < class_names_->size()) return (*class_names_)[k];
  std::string name = fmt::format("{}{}", kOwn, id);
  if (alike_ == nullptr) return name;
  for (int n = 2; std::find(alike_->begin(), alike_->end(), name) != alike_->end(); ++n)
    name = fmt::format("{}{} ({})", kOwn, id, n);
  return name;
}

CategoryId Categories::find(std::string_view wanted) const {
  for (CategoryId id = 0; id < next(); ++id) {
    if (is_live(id) && name(id) == wanted) return id;
  }
  return kNoId;
}

CategoryId Categories::add(Category category) {
  categories_.push_back(std::move(category));
  return next() - 1;
}

CategoryId Categories::open(PrototypeId prototype, std::uint64_t birth) {
  Category born;
  born.birth = birth;
  born.prototypes = {prototype};
  return add(std::move(born));
}

void Categories::clear_to(CategoryId next) {
  categories_ = {};
  for (CategoryId id = 0; id < next; ++id) {
    Category gone;
    gone.exists = false;
    categories_.push_back(std::move(gone));
  }
}

Categories Categories::share() const {
  Categories copy = *this;
  copy.categories_ = categories_.share();
  return copy;
}

PrototypeId VerifiedSamples::prototype_of(std::uint64_t sequence) const {
  const auto found = samples_.find(sequence);
  return found == samples_.end() ? kNoId : found->second;
}

std::uint64_t VerifiedSamples::count(std::span<const PrototypeId> prototypes) const {
  std::uint64_t sum = 0;
  for (const PrototypeId p : prototypes) {
    const auto found = counts_.find(p);
    if (found != counts_.end()) sum += found->second;
  }
  return sum;
}

void VerifiedSamples::set(std::uint64_t sequence, PrototypeId prototype) {
  const auto found = samples_.find(sequence);
  if (found != samples_.end()) {
    const auto count = counts_.find(found->second);
    if (--count->second == 0) counts_.erase(count);
    samples_.erase(found);
  }
  if (prototype == kNoId) return;
  samples_.emplace(sequence, prototype);
  ++counts_[prototype];
}

CategoryInfo MemoryView::info(CategoryId id) const {
  const Category& category = categories[id];
  CategoryInfo out;
  out.id = id;
  out.name = categories.name(id);
  out.retired = category.retired;
  out.answered = category.answered;
  out.birth = category.birth;
  out.prototypes = category.prototypes;
  if (verified != nullptr) out.verified = verified->count(category.prototypes);
  std::int64_t largest = -1;
  for (const PrototypeId p : category.prototypes) {
    const Prototype& prototype = prototypes[static_cast<std::size_t>(p)];
    out.known = out.known || prototype.reference;
    out.size += prototype.size();
    if (prototype.members <= largest) continue;
    largest = prototype.members;
    out.resultant_length = prototype.resultant_length;
  }
  return out;
}

}  // namespace paco
