// The last samples of a session without a journal, in memory: their prototypes and embeddings, so
// that they can be moved and verified as with a journal.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "paco/method.hpp"

namespace paco::session {

class KeptSamples {
 public:
  // Sets how many of the last samples are kept from now on; 0: none.
  void keep(std::uint64_t samples);
  std::uint64_t most() const { return most_; }

  void add(std::span<const Decision> decisions, paco::Rows<const double> embeddings);
  void edited(std::span<const Edit> edits);

  struct Kept {
    PrototypeId prototype = kNoId;
    bool counted = false;
    std::vector<double> embedding;
  };
  Result<const Kept*> find(std::uint64_t sequence) const;

 private:
  void drop();

  std::uint64_t most_ = 0, first_ = 0;  // first_: sequence number of the oldest one
  std::deque<Kept> samples_;
};

// The kept samples as a source of members for operations. The other members of a prototype are not
// available, so its sum is updated by the samples that come and go; its last bits may differ from
// those of a stream with a journal.
class KeptMembers final : public MemberSource {
 public:
  KeptMembers(const KeptSamples& kept, Method& method, const VerifiedSamples& verified)
      : kept_(kept), method_(method), verified_(verified) {}
  bool knows_all() const override { return false; }
  Result<std::vector<Member>> members(PrototypeId prototype) override;
  Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) override;
  Result<std::vector<double>> embedding(std::uint64_t sequence) override;
  Result<PrototypeId> shown(std::uint64_t sequence) override;
  PrototypeId verified(std::uint64_t sequence) const override {
    return verified_.prototype_of(sequence);
  }

 private:
  const KeptSamples& kept_;
  Method& method_;
  const VerifiedSamples& verified_;
};

}  // namespace paco::session
