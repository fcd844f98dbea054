// A stream that lives: a method, its categories and the log of what happened to them.
//
//   auto session = paco::Session::open("birds.journal", {});          // or start(), create()
//   session->decide(embeddings, decisions, {keys, ids});               // samples in, decisions out
//   session->apply({.kind = paco::OperationKind::rename, .category = 107, .name = "heron"});
//   session->view();                                                   // for readers
//
// The state is a fold over the model and the events (samples and operations) in their one order;
// nothing else influences a decision. With a journal every event is on the disk before its decision
// is handed out, and a session opened again is where it was; without one it lives in memory and a
// state can be saved.
//
// Thread rule: one thread at a time; what view() returned may be read by any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "paco/method.hpp"
#include "paco/operation.hpp"

namespace paco {

namespace session {
struct Access;
}

// How a journal is kept. All but `durability` are fixed when it is made.
struct JournalOptions {
  enum class Durability : std::uint8_t {
    full,     // a decision is handed out when its event is on the disk
    relaxed,  // events are synced a few times a second, and a crash may lose what came after that
  };
  Durability durability = Durability::full;
  // Embeddings of the last so many samples are kept; 0: none, unset: all. Without them samples
  // cannot be moved and the stream cannot be replayed from its start.
  std::optional<std::uint64_t> embeddings;
  std::uint64_t snapshot_samples = 100'000;  // a snapshot every so many samples
  // What known classes look like, for people to see: a few small image files of each class.
  std::vector<std::vector<std::string>> support_pictures = {};
};

// Names that samples may bring: empty, or one for each row.
struct SampleNames {
  std::span<const std::string> keys;  // unique in the stream; empty text: none
  std::span<const std::string> ids;   // as the input calls them; without them the sequence number
  // Kept by a journal for people to see; no decision depends on them. A JSON object, and the bytes
  // of a small JPEG, PNG or WebP file; empty text: none.
  std::span<const std::string> attributes = {}, pictures = {};
  // With a journal: a key that the stream has seen must bring the embedding that it had.
  bool same_content = false;
};

struct Decided {
  std::size_t rows = 0;          // decided, from the first on
  std::size_t repeated = 0;      // of them, answered from the journal by their key
  std::optional<Error> refused;  // why the row after them was not; its message has no subject
  // With SampleNames::same_content: the row whose key came before with another embedding. Then
  // nothing of the call was decided (`rows` is 0), and `refused` says why.
  std::optional<std::size_t> conflict;
};

class Session {
 public:
  // In memory.
  static Result<Session> start(std::shared_ptr<const Model> model, std::string_view method = "",
                               const MethodOptions& options = {});
  // With a new journal; refuses where there is a file.
  static Result<Session> create(const std::string& path, std::shared_ptr<const Model> model,
                                std::string_view method, const MethodOptions& options,
                                const JournalOptions& journal);
  // Goes on where a journal ends. Method, model and settings are the journal's.
  static Result<Session> open(
      const std::string& path, int threads = 1,
      JournalOptions::Durability durability = JournalOptions::Durability::full,
      std::stop_token stop = {});

  // The same beside a writer: the state is that of the journal's end now, and changes are refused.
  static Result<Session> open_read_only(const std::string& path, int threads = 1,
                                        std::stop_token stop = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Decides on rows in order, as one group that is made to last together. A key that the stream has
  // seen is answered with the decision it had. The first bad row ends it; those before it stand. An
  // Error is the disk's: then nothing of the group happened, and the session may be used on when
  // there is room.
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names = {});

  // Does it, or says why not and changes nothing.
  Result<OperationOutcome> apply(const Operation& operation);
  Result<OperationOutcome> undo(std::uint64_t event, const std::string& actor = {});
  // All operations so far, oldest first.
  Result<std::vector<OperationOutcome>> history();

  const Method& method() const;
  const Model& model() const;
  std::uint64_t samples() const;
  std::uint64_t events() const;
  std::shared_ptr<const MemoryView> view();
  Result<std::string> digest() const;

  // Without a journal: the state as bytes, and back into a session that has decided nothing.
  Result<std::vector<std::byte>> save(const std::string& note = {}) const;
  Result<void> restore(const std::string& path);
  // `name` stands for the path in error texts.
  Result<void> restore(std::vector<std::byte> bytes, const std::string& name);

  // Without a journal: from now on the embeddings of the last so many samples are kept, so that
  // those samples can be moved and verified; 0 keeps none, as a new session does.
  Result<void> keep(std::uint64_t samples);

  bool has_journal() const;
  const std::string& path() const;  // of the journal
  // The decision of a sample; needs a journal.
  Result<std::optional<Decision>> decision(std::uint64_t sequence);
  // The decision of the sample with this key, or nothing if the stream has not seen the key.
  Result<std::optional<Decision>> find(const std::string& key);
  // The category that a sample is shown in now, after operations; kNoId: in none yet. Without a
  // journal only of samples that are kept.
  Result<CategoryId> shown(std::uint64_t sequence);
  // The event number of a sample, or nothing if there is no such sample; needs a journal.
  Result<std::optional<std::uint64_t>> event_of(std::uint64_t sequence);
  // After a disk that refused or memory that ran out: rebuilds the state from the journal. Every
  // change begins with it; call it first if the number of samples has to be right before.
  Result<void> recover();
  // A snapshot now, so that opening needs no replay; and everything lasts.
  Result<void> checkpoint();
  Result<void> close();

 private:
  struct Impl;
  friend struct session::Access;
  explicit Session(std::unique_ptr<Impl> impl);
  static Result<Session> open_as(const std::string& path, bool to_write, int threads,
                                 JournalOptions::Durability durability, std::stop_token stop);
  template <class Change>
  auto changing(const char* doing, Change change) -> decltype(change());
  std::unique_ptr<Impl> impl_;
};

}  // namespace paco
