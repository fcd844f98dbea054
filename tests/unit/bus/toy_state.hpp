// A stream's state for the simulation: as small as it can be while every decision depends on all
// events before it, with a journal of which a crash may take the end. It keeps the promises of
// Session that folding relies on: a known key gets the decision it had, the first bad row ends a
// call, an operation gets the next number of the journal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/stream_state.hpp"
#include "simulated_log.hpp"

namespace paco::bus {

class ToyState final : public StreamState {
 public:
  explicit ToyState(Broken broken = Broken::nothing) : broken_(broken) {}

  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names) override;
  Result<OperationOutcome> apply(const Operation& operation) override;
  std::optional<Error> refusal(std::span<const double> embedding) override;
  Result<std::vector<OperationOutcome>> history() override;
  Result<JournalEnd> journal_end() override;
  std::size_t evidence() override { return 0; }
  std::vector<std::string> category_names(std::span<const CategoryId> categories) override;
  std::uint64_t journal_events() override { return journal_.size(); }
  Result<std::string> digest() override;

  std::optional<Decision> decision_of(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? std::nullopt : std::optional(found->second);
  }
  // Later decisions differ from those of a sound state.
  void damage() { mix(1); }
  // The first `events` of the journal are kept.
  void lose_after(std::size_t events);

 private:
  struct Entry {
    bool sample = true;
    std::string key;
    double value = 0;
    std::uint64_t bus_event = 0;
    OperationOutcome outcome;
  };
  Decision fold_sample(const Entry& entry);
  void fold_operation(const Entry& entry);
  void mix(std::uint64_t value);

  Broken broken_;
  std::vector<Entry> journal_;
  std::map<std::string, Decision> by_key_;
  std::vector<double> centres_;
  std::vector<std::string> names_;
  std::uint64_t samples_ = 0, hash_ = 0;
};

}  // namespace paco::bus
