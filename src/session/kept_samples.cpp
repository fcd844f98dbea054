#include "session/kept_samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"

namespace paco::session {

void KeptSamples::keep(std::uint64_t samples) {
  most_ = samples;
  drop();
}

void KeptSamples::drop() {
  while (samples_.size() > most_) {
    samples_.pop_front();
    ++first_;
  }
}

void KeptSamples::add(std::span<const Decision> decisions, paco::Rows<const double> embeddings) {
  if (most_ == 0) return;
  const std::size_t skipped =
      decisions.size() - static_cast<std::size_t>(std::min<std::uint64_t>(most_, decisions.size()));
  if (skipped > 0) samples_.clear();  // the kept samples must be consecutive
  for (std::size_t i = skipped; i < decisions.size(); ++i) {
    if (samples_.empty()) first_ = decisions[i].sequence;
    const auto row = embeddings[i];
    samples_.push_back({decisions[i].prototype, decisions[i].counted, {row.begin(), row.end()}});
  }
  drop();
}

void KeptSamples::edited(std::span<const Edit> edits) {
  for (const Edit& e : edits) {
    if (e.cell != Edit::Cell::member) continue;
    Kept& moved = samples_[static_cast<std::size_t>(e.id) - first_];
    moved.prototype = e.to;
    moved.counted = e.to_counted;
  }
}

Result<const KeptSamples::Kept*> KeptSamples::find(std::uint64_t sequence) const {
  if (sequence >= first_ && sequence - first_ < samples_.size())
    return &samples_[static_cast<std::size_t>(sequence - first_)];
  return Error{ErrorCode::not_found,
               fmt::format("the embedding of sample {} is not kept in memory", sequence),
               "keep the stream in a journal: 'paco discover --journal'"};
}

Result<std::vector<MemberSource::Member>> KeptMembers::members(PrototypeId prototype) {
  return Error{ErrorCode::unsupported,
               fmt::format("the members of prototype {} are not kept in memory", prototype),
               "keep the stream in a journal: 'paco discover --journal'"};
}

Result<std::pair<PrototypeId, bool>> KeptMembers::membership(std::uint64_t sequence) {
  PACO_ASSIGN(const KeptSamples::Kept* found, kept_.find(sequence));
  return method_.editor().place(sequence, found->prototype, found->counted);
}

Result<PrototypeId> KeptMembers::shown(std::uint64_t sequence) {
  PACO_ASSIGN(const KeptSamples::Kept* found, kept_.find(sequence));
  return found->prototype;
}

Result<std::vector<double>> KeptMembers::embedding(std::uint64_t sequence) {
  PACO_ASSIGN(const KeptSamples::Kept* found, kept_.find(sequence));
  return found->embedding;
}

}  // namespace paco::session
