#include "insight/member_index.hpp"

#include <algorithm>
#include <functional>

namespace paco::insight {

void MemberIndex::insert(PrototypeId prototype, std::uint64_t sequence) {
  if (prototype < 0) return;
  const auto at = static_cast<std::size_t>(prototype);
  if (members_.size() <= at) members_.resize(at + 1);
  std::vector<std::uint64_t>& list = members_[at];
  list.insert(std::upper_bound(list.begin(), list.end(), sequence), sequence);
}

void MemberIndex::add(std::uint64_t sequence, PrototypeId prototype) {
  const std::lock_guard lock(mutex_);
  insert(prototype, sequence);
}

void MemberIndex::apply(std::span<const Edit> edits) {
  const std::lock_guard lock(mutex_);
  for (const Edit& edit : edits) {
    if (edit.cell != Edit::Cell::member) continue;
    const auto sequence = static_cast<std::uint64_t>(edit.id);
    if (edit.from >= 0 && static_cast<std::size_t>(edit.from) < members_.size()) {
      auto& list = members_[static_cast<std::size_t>(edit.from)];
      const auto place = std::lower_bound(list.begin(), list.end(), sequence);
      if (place != list.end() && *place == sequence) list.erase(place);
    }
    insert(edit.to, sequence);
  }
}

std::uint64_t MemberIndex::count(std::span<const PrototypeId> prototypes) const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const PrototypeId p : prototypes) {
    if (static_cast<std::size_t>(p) < members_.size())
      sum += members_[static_cast<std::size_t>(p)].size();
  }
  return sum;
}

std::vector<std::uint64_t> MemberIndex::page(std::span<const PrototypeId> prototypes,
                                             std::uint64_t from, std::size_t limit,
                                             bool backwards) const {
  std::vector<std::uint64_t> out;
  {
    const std::lock_guard lock(mutex_);
    for (const PrototypeId p : prototypes) {
      if (static_cast<std::size_t>(p) >= members_.size()) continue;
      const auto& list = members_[static_cast<std::size_t>(p)];
      if (backwards) {
        const auto end = std::upper_bound(list.begin(), list.end(), from);
        const auto count =
            std::min<std::ptrdiff_t>(end - list.begin(), static_cast<std::ptrdiff_t>(limit));
        out.insert(out.end(), end - count, end);
      } else {
        const auto begin = std::lower_bound(list.begin(), list.end(), from);
        const auto count =
            std::min<std::ptrdiff_t>(list.end() - begin, static_cast<std::ptrdiff_t>(limit));
        out.insert(out.end(), begin, begin + count);
      }
    }
  }
  if (backwards) {
    std::sort(out.begin(), out.end(), std::greater<>());
  } else {
    std::sort(out.begin(), out.end());
  }
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace paco::insight
