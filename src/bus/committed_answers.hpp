// Gives waiting requests the committed decisions of their samples. Samples are found by key,
// whichever event the key was decided with and whoever published that event. Also keeps the
// outcomes of the last operations.
//
// A key may be committed more than once; its first decision is the answer to all of them. A refusal
// is not an answer: it belongs to an event that another publisher sent with this key.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "bus/record.hpp"

namespace paco::bus {

template <class Waiter>
class CommittedAnswers {
 public:
  // Sets the numbers of events and samples that are committed before the first group.
  void start(std::uint64_t event, std::uint64_t samples) {
    event_ = event;
    samples_ = samples;
  }
  std::uint64_t event() const { return event_; }
  // Whether a decision with this sequence number is committed.
  bool committed(std::uint64_t sequence) const { return sequence < samples_; }

  void wait_for(const std::string& key, Waiter waiter) { waiting_.emplace(key, std::move(waiter)); }
  // Removes the matching waiters of a key.
  template <class Match>
  void remove(const std::string& key, Match match) {
    const auto [first, last] = waiting_.equal_range(key);
    for (auto at = first; at != last;) at = match(at->second) ? waiting_.erase(at) : std::next(at);
  }
  // Any waiter; null if there is none.
  const Waiter* any() const { return waiting_.empty() ? nullptr : &waiting_.begin()->second; }

  // Calls answer(waiter, record, repeated) for each waiter of a key that the group decides.
  template <class Answer>
  void commit(const Group& group, Answer answer) {
    std::uint64_t event = group.first;
    for (const Record& record : group.records) {
      if (record.key.empty()) {
        operations_.emplace(event, record);
      } else if (record.kind == RecordKind::decided) {
        const bool fresh = !committed(record.sequence);
        if (fresh) samples_ = record.sequence + 1;
        resolve(record.key, record, !fresh, answer);
      }
      ++event;
    }
    while (operations_.size() > kOperations) operations_.erase(operations_.begin());
    event_ = group.last();
  }

  template <class Answer>
  void resolve(const std::string& key, const Record& record, bool repeated, Answer answer) {
    const auto [first, last] = waiting_.equal_range(key);
    for (auto at = first; at != last; ++at) answer(at->second, record, repeated);
    waiting_.erase(first, last);
  }

  // Null if the event is not committed, is a sample, or is too old.
  const Record* operation(std::uint64_t event) const {
    const auto found = operations_.find(event);
    return found == operations_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::size_t kOperations = 4096;  // number of records kept

  std::unordered_multimap<std::string, Waiter> waiting_;
  std::map<std::uint64_t, Record> operations_;
  std::uint64_t event_ = 0, samples_ = 0;
};

}  // namespace paco::bus
