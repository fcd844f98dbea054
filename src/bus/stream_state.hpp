// The state that the events of a stream are folded into: a session, behind what folding needs of
// it. A replica has a session of its own, a server one that others look at.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paco/session.hpp"

namespace paco::bus {

// The attribute of a sample in a replica's journal that has the number of its event on the bus.
inline constexpr const char* kEventAttribute = "bus_event";

// Where a stream is between two events.
struct LogPosition {
  std::uint64_t event = 0;    // of the bus; the last one that is folded
  std::uint64_t samples = 0;  // decided so far
  std::uint64_t journal = 0;  // events of the journal: samples and operations carried out
  std::uint64_t chain = 0;    // checksum of all events so far, in their order
  std::uint64_t sum = 0;      // checksum of the last event alone
};

// How far the journal of a state goes. Operations after the last sample are not counted.
struct JournalEnd {
  std::uint64_t event = 0;    // of the bus: that of the last sample
  std::uint64_t samples = 0;  // in the journal
  std::uint64_t journal = 0;  // events in the journal
};

class StreamState {
 public:
  virtual ~StreamState() = default;
  // As Session::decide() and Session::apply().
  virtual Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                 const SampleNames& names) = 0;
  virtual Result<OperationOutcome> apply(const Operation& operation) = 0;
  // Why a sample cannot be decided.
  virtual std::optional<Error> refusal(std::span<const double> embedding) = 0;
  virtual Result<std::vector<OperationOutcome>> history() = 0;
  virtual Result<JournalEnd> journal_end() = 0;
  virtual std::size_t evidence() = 0;  // numbers of each decision
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
  // Runs `task` while nothing else changes the session.
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
