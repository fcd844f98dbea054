// Applies the events of a journal to a method in their order ("folding"). This is how a session is
// opened and how a stream is replayed.
//
// Every sample is decided again and compared with the recorded decision; every operation is applied
// as recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/progress.hpp"
#include "journal/journal.hpp"
#include "paco/method.hpp"

namespace paco::session {

// Members and embeddings as they were after a given number of events.
class PastMembers final : public MemberSource {
 public:
  explicit PastMembers(journal::Journal& journal) : journal_(journal) {}

  // Sets how many samples have been folded so far.
  void reached(std::uint64_t samples) { samples_ = samples; }
  void moved(std::span<const Edit> edits);

  Result<std::vector<Member>> members(PrototypeId prototype) override;
  Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) override;
  Result<std::vector<double>> embedding(std::uint64_t sequence) override;

 private:
  struct Place {
    PrototypeId prototype;
    bool counted;
  };
  Result<void> read_up_to(std::uint64_t samples);

  journal::Journal& journal_;
  std::uint64_t samples_ = 0;
  std::vector<Place> decided_;  // of every sample read so far, before moves
  std::unordered_map<std::uint64_t, Place> moved_;
};

// Members and embeddings as they are at the journal's end.
class PresentMembers final : public MemberSource {
 public:
  PresentMembers(journal::Journal& journal, Method& method, const VerifiedSamples& verified)
      : journal_(journal), method_(method), verified_(verified) {}
  Result<std::vector<Member>> members(PrototypeId prototype) override;
  Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) override;
  Result<std::vector<double>> embedding(std::uint64_t sequence) override;
  Result<PrototypeId> shown(std::uint64_t sequence) override;
  PrototypeId verified(std::uint64_t sequence) const override {
    return verified_.prototype_of(sequence);
  }

 private:
  Result<journal::Membership> recorded(std::uint64_t sequence);

  journal::Journal& journal_;
  Method& method_;
  const VerifiedSamples& verified_;
};

struct FoldOptions {
  std::uint64_t until = ~std::uint64_t{0};  // number of events; later ones are left out
  std::size_t block = 256;
  bool stop_at_difference = true;
  // The method or the model differs from the journal's: operations are left out, and decisions are
  // compared by category alone.
  bool foreign = false;
  core::Progress* progress = nullptr;
  std::stop_token stop;
  // Called with every decision and what was recorded. May be empty.
  std::function<void(const Decision&, const io::DecidedSample&)> each;
};

struct FoldOutcome {
  std::uint64_t samples = 0, operations = 0;      // folded
  std::uint64_t differences = 0;                  // samples whose decision differs from the record
  std::optional<std::uint64_t> first_difference;  // its sequence number
  std::uint64_t events = 0;                       // number of events that the method has now
};

// Folds the events from `event` on into `method`, which must have the state before that event.
Result<FoldOutcome> fold(journal::Journal& journal, Method& method, std::uint64_t event,
                         const FoldOptions& options);

// The journal's own method with its own model, before any event.
Result<std::unique_ptr<Method>> method_of_journal(journal::Journal& journal, int threads);

}  // namespace paco::session
