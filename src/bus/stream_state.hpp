// The state that the events of a stream are folded into: an interface to a session with the
// functions that folding needs. A replica has its own session; a server shares its session with
// readers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paco/session.hpp"

namespace paco::bus {

// The attribute, in a replica's journal, with a sample's event number on the bus.
inline constexpr const char* kEventAttribute = "bus_event";

// A position in a stream between two events.
struct LogPosition {
  std::uint64_t event = 0;    // the last event of the bus that is folded
  std::uint64_t samples = 0;  // decided so far
  std::uint64_t journal = 0;  // events of the journal: samples and operations carried out
  std::uint64_t chain = 0;    // checksum of all events so far, in their order
  std::uint64_t sum = 0;      // checksum of the last event alone
};

// Where the journal of a state ends. Operations after the last sample are not counted.
struct JournalEnd {
  std::uint64_t event = 0;    // event number on the bus of the last sample
  std::uint64_t samples = 0;  // in the journal
  std::uint64_t journal = 0;  // events in the journal
};

class StreamState {
 public:
  virtual ~StreamState() = default;
  // Like Session::decide() and Session::apply().
  virtual Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                 const SampleNames& names) = 0;
  virtual Result<OperationOutcome> apply(const Operation& operation) = 0;
  // The reason why a sample cannot be decided; nothing if it can be.
  virtual std::optional<Error> refusal(std::span<const double> embedding) = 0;
  virtual Result<std::vector<OperationOutcome>> history() = 0;
  virtual Result<JournalEnd> journal_end() = 0;
  virtual std::size_t evidence() = 0;  // evidence numbers per decision
  virtual std::vector<std::string> category_names(std::span<const CategoryId> categories) = 0;
  virtual std::uint64_t journal_events() = 0;
  virtual Result<std::string> digest() = 0;
};

class SessionState : public StreamState {
 public:
  std::optional<Error> refusal(std::span<const double> embedding) override;
  Result<std::vector<OperationOutcome>> history() override;
  Result<JournalEnd> journal_end() override;
  std::size_t evidence() override;
  std::vector<std::string> category_names(std::span<const CategoryId> categories) override;
  std::uint64_t journal_events() override;
  Result<std::string> digest() override;

 protected:
  // Runs `task` exclusively: nothing else changes the session meanwhile.
  virtual void run(const std::function<void(Session&)>& task) = 0;
};

class OwnSession final : public SessionState {
 public:
  explicit OwnSession(Session session) : session_(std::move(session)) {}
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names) override {
    return session_.decide(embeddings, decisions, names);
  }
  Result<OperationOutcome> apply(const Operation& operation) override {
    return session_.apply(operation);
  }
  Session& session() { return session_; }

 private:
  void run(const std::function<void(Session&)>& task) override { task(session_); }

  Session session_;
};

}  // namespace paco::bus
