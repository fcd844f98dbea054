// Events of the bus folded into a session, and what became of each as a record.
//
// Everybody who folds the same events makes the same records. Folding an event again that the
// journal has is harmless: samples are known by their keys, operations by their place in the
// journal; so a replica that was killed goes on from any event that it had not passed.
//
// Not here: which events come when, and who says aloud what became of them (replica.hpp).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bus/event.hpp"
#include "bus/record.hpp"
#include "paco/session.hpp"

namespace paco::bus {

// Whoever has the session: the replica itself, or a server that others look at.
class Holder {
 public:
  virtual ~Holder() = default;
  virtual Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                 const SampleNames& names) = 0;
  virtual Result<OperationOutcome> apply(const Operation& operation) = 0;
  // Runs `task` where nothing else changes the session.
  virtual void ask(const std::function<void(Session&)>& task) = 0;
};

class OwnSession final : public Holder {
 public:
  explicit OwnSession(Session session) : session_(std::move(session)) {}
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names) override {
    return session_.decide(embeddings, decisions, names);
  }
  Result<OperationOutcome> apply(const Operation& operation) override {
    return session_.apply(operation);
  }
  void ask(const std::function<void(Session&)>& task) override { task(session_); }
  Session& session() { return session_; }

 private:
  Session session_;
};

// Where a stream is between two events.
struct Place {
  std::uint64_t event = 0;    // of the bus; the last one that is folded
  std::uint64_t samples = 0;  // decided so far
  std::uint64_t journal = 0;  // events of the journal: samples and operations carried out
};

// How far a journal goes that a replica kept: up to its last sample. Operations after that are
// found by their place.
Result<Place> place_of(Session& session);

class Folding {
 public:
  Folding(Holder& holder, std::size_t dimension) : holder_(holder), dimension_(dimension) {}

  void go_to(const Place& place) { place_ = place; }
  const Place& place() const { return place_; }
  Holder& holder() { return holder_; }
  std::size_t evidence() const { return evidence_; }
  Result<void> start();  // once, before anything is folded

  // The next events, as far as they are no operation: a record for each that is folded.
  Result<std::vector<Record>> samples(std::span<const Result<Event>> events);
  // The next event.
  Result<Record> operation(const OperationEvent& event);
  // Of the state; empty while the journal is ahead of the events that are folded again.
  Result<std::string> digest();

 private:
  Result<void> decide(std::span<const SampleEvent* const> run, std::span<Record> records);
  Result<OperationOutcome> carry_out(const std::string& json);

  Holder& holder_;
  const std::size_t dimension_;
  std::size_t evidence_ = 0;
  Place place_;
  std::vector<double> rows_;
  std::vector<Decision> decisions_;
};

}  // namespace paco::bus
