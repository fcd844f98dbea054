// A running stream: a method, its categories and the log of everything that happened to them.
//
//   auto session = paco::Session::open("birds.journal", {});          // or start(), create()
//   session->decide(embeddings, decisions, {keys, ids});               // samples in, decisions out
//   session->apply({.kind = paco::OperationKind::rename, .category = 107, .name = "heron"});
//   session->view();                                                   // for readers
//
// The state follows from the model and the events (samples and operations) in their order; nothing
// else influences a decision. With a journal every event is on the disk before its decision is
// returned, and a session that is opened again continues in the same state. Without a journal the
// session is in memory only, and its state can be saved.
//
// Thread rule: one thread at a time; any number of threads may read the result of view().
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

// Options of a journal. All but `durability` are fixed when the journal is created.
struct JournalOptions {
  enum class Durability : std::uint8_t {
    full,     // a decision is returned after its event is on the disk
    relaxed,  // events are synced a few times a second, and a crash may lose what came after that
  };
  Durability durability = Durability::full;
  // How many embeddings of the latest samples are kept; 0: none, unset: all. Without embeddings
  // samples cannot be moved and the stream cannot be replayed from its start.
  std::optional<std::uint64_t> embeddings;
  std::uint64_t snapshot_samples = 100'000;  // a snapshot after every this many samples
  // Example pictures of the known classes: a few small image files for each class.
  std::vector<std::vector<std::string>> support_pictures = {};
};

// Optional names of samples: empty, or one for each row.
struct SampleNames {
  std::span<const std::string> keys;  // unique in the stream; empty text: none
  std::span<const std::string> ids;   // names from the input; if empty, the sequence number
  // Stored in a journal and shown to users; no decision depends on them. A JSON object, and the
  // bytes of a small JPEG, PNG or WebP file; empty text: none.
  std::span<const std::string> attributes = {}, pictures = {};
  // With a journal: if the stream already has a key, the embedding must be the same as before.
  bool same_content = false;
};

struct Decided {
  std::size_t rows = 0;          // number of decided rows, counted from the first
  std::size_t repeated = 0;      // of these, rows answered from the journal by their key
  std::optional<Error> refused;  // why the next row was rejected; its message has no subject
  // With SampleNames::same_content: the row whose key the stream already has with another
  // embedding. Then the call decides nothing (`rows` is 0), and `refused` has the reason.
  std::optional<std::size_t> conflict;
};

class Session {
 public:
  // A session in memory, without a journal.
  static Result<Session> start(std::shared_ptr<const Model> model, std::string_view method = "",
                               const MethodOptions& options = {});
  // A session with a new journal; an error if the file already exists.
  static Result<Session> create(const std::string& path, std::shared_ptr<const Model> model,
                                std::string_view method, const MethodOptions& options,
                                const JournalOptions& journal);
  // Continues a stream from the end of its journal. Method, model and settings come from the
  // journal.
  static Result<Session> open(
      const std::string& path, int threads = 1,
      JournalOptions::Durability durability = JournalOptions::Durability::full,
      std::stop_token stop = {});

  // Opens a journal that another process may be writing: the state is that of the journal's end at
  // this moment, and changes are rejected.
  static Result<Session> open_read_only(const std::string& path, int threads = 1,
                                        std::stop_token stop = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Decides on rows in order, and stores them together as one group. If the stream already has a
  // key, the answer is the earlier decision for that key. The first bad row ends the call; the rows
  // before it stay decided. An Error comes from the disk: then no row of the group is decided, and
  // the session can be used again when there is space.
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names = {});

  // Applies the operation, or returns the reason why not and changes nothing.
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

  // Without a journal: save() returns the state as bytes, restore() loads it into a session that
  // has decided nothing.
  Result<std::vector<std::byte>> save(const std::string& note = {}) const;
  Result<void> restore(const std::string& path);
  // `name` stands for the path in error texts.
  Result<void> restore(std::vector<std::byte> bytes, const std::string& name);

  // Without a journal: from now on keeps the embeddings of this many latest samples, so that those
  // samples can be moved and verified. 0, the default of a new session, keeps none.
  Result<void> keep(std::uint64_t samples);

  bool has_journal() const;
  const std::string& path() const;  // of the journal
  // The decision of a sample; needs a journal.
  Result<std::optional<Decision>> decision(std::uint64_t sequence);
  // The decision of the sample with this key, or nothing if the stream does not have the key.
  Result<std::optional<Decision>> find(const std::string& key);
  // The category that a sample is shown in now, after operations; kNoId: in no category yet.
  // Without a journal, only for samples that are kept.
  Result<CategoryId> shown(std::uint64_t sequence);
  // The event number of a sample, or nothing if there is no such sample; needs a journal.
  Result<std::optional<std::uint64_t>> event_of(std::uint64_t sequence);
  // Rebuilds the state from the journal, after a disk error or after memory ran out. Every change
  // starts with this step; call it first if the number of samples must be correct before the
  // change.
  Result<void> recover();
  // Writes a snapshot now, so that opening needs no replay, and syncs everything to the disk.
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
