// The private state of a session, for the files of this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "journal/journal.hpp"
#include "paco/session.hpp"
#include "session/kept_samples.hpp"
#include "session/operations/plan.hpp"

namespace paco {

struct Session::Impl {
  std::unique_ptr<Method> method;
  int threads = 1;
  std::optional<journal::Journal> journal;
  std::uint64_t events = 0;
  std::uint64_t snapshot_at = 0;  // samples in the newest snapshot
  bool read_only = false;
  std::shared_ptr<const VerifiedSamples> verified = std::make_shared<VerifiedSamples>();
  // The method is ahead of the journal, because a write failed or memory ran out during a change.
  // It must be rebuilt before the next change.
  bool ahead = false;
  // Used without a journal: decisions by key, all operations, and the samples that can be moved.
  std::unordered_map<std::string, Decision> by_key;
  std::vector<OperationOutcome> operations;
  session::KeptSamples kept;

  // Used while a file is read: how far it has been read, which the journal stores with the samples,
  // and its row at which the next call of decide() begins.
  std::optional<journal::SourceRow> source;
  std::uint64_t source_row = 0;

  // Scratch.
  std::vector<double> gathered;
  std::vector<Decision> decided;

  Result<void> catch_up(std::stop_token stop);
  Result<void> recover();
  Result<std::optional<Decision>> find_key(const std::string& key);
  // Whether the stored sample has this embedding, up to rounding by another number format.
  Result<bool> has_content(std::uint64_t sequence, std::span<const double> embedding);
  Result<void> write(std::span<const Decision> decisions, Rows<const double> embeddings,
                     std::span<const std::size_t> rows, const SampleNames& names,
                     CategoryId first_new);
  Result<void> snapshot();
  Result<std::vector<OperationOutcome>> history();
  Result<OperationOutcome> carry_out(session::Plan plan, MemberSource* members);
  Result<CategoryId> shown(std::uint64_t sequence);
  Result<OperationOutcome> apply(const Operation& operation);
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names);
};

// Gives the files of this folder access to the private state of a session.
namespace session {
struct Access {
  using Impl = Session::Impl;
  static Session::Impl& impl(Session& session) { return *session.impl_; }
};
}  // namespace session

}  // namespace paco
