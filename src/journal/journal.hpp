// The store of a stream: one SQLite file with the model, every event in order, the categories, the
// embeddings and snapshots of the method. It keeps and gives back; what events mean, and what
// state they add up to, is the session's business.
//
//   PACO_ASSIGN(Journal journal, Journal::create("birds.journal", settings, model, {}));
//   PACO_TRY(journal.append(rows, changed_categories));      // all of it or nothing
//   PACO_ASSIGN(auto decided, journal.find_key("img_0017"));
//
// One writer at a time, whatever the process, and any number of readers beside it. An object is
// used by one thread at a time; give each thread its own reader. After an error of append() the
// journal is as before the call and may be used on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "journal/check.hpp"
#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

enum class OpenMode { read, write };

struct Durability {
  // Full: append() returns when the events are on the disk. Relaxed: it returns at once, the events
  // are synced every so often, and an error of the disk shows at a later call.
  bool full = true;
  std::chrono::milliseconds between_syncs{200};  // relaxed only
};

class Journal {
 public:
  // Refuses where there is a file already. A failure leaves none, or a whole one without events.
  static Result<Journal> create(const std::string& path, const JournalSettings& settings,
                                std::span<const std::byte> model, Durability durability);
  // Checks every event (a million in about two seconds) and refuses what is damaged, foreign, newer
  // or, for writing, in another writer's hands.
  static Result<Journal> open(const std::string& path, OpenMode mode, Durability durability);
  // Another reader of an open journal, for another thread. Checks nothing again.
  Result<Journal> beside() const;
  // The whole journal as it is at this moment, as a new file. A writer goes on meanwhile.
  Result<void> copy_to(const std::string& path);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();  // like close(), without saying how it went

  const std::string& path() const;
  const JournalSettings& settings() const;
  Result<std::vector<std::byte>> model();

  // A group of samples and the categories that they changed, as one step. Events and sequences go
  // on without a gap from tail().
  Result<void> append(std::span<const SampleRow> samples, std::span<const CategoryRow> changed);
  Result<void> append(const OperationRow& operation, std::span<const CategoryRow> changed,
                      std::span<const Membership> moved);
  // The state after the first `event` events. Replaces one of the same event.
  Result<void> save_snapshot(std::uint64_t event, std::uint64_t sequence, std::string digest,
                             std::span<const std::byte> bytes);
  // Removes all snapshots but the newest `keep`.
  Result<void> prune_snapshots(std::size_t keep);
  // Returns when all that was appended lasts, whatever the durability.
  Result<void> flush();
  // Changes what is kept, removes the rest and makes the file as small as it can be. Afterwards
  // exactly as many embeddings are kept as asked for; between, up to a sixteenth more.
  Result<void> compact(const Retention& retention);
  // Carries the log into the file; close() ends with it. A closed journal is one file.
  Result<void> checkpoint();
  Result<void> close();

  // How far it goes. A reader sees what a writer has committed.
  Result<JournalTail> tail();
  Result<std::optional<StoredSample>> find_key(std::string_view key);
  Result<std::optional<StoredSample>> sample(std::uint64_t sequence);
  // Pages of at most `count`; shorter only at the end.
  Result<std::vector<StoredSample>> samples(std::uint64_t from_sequence, std::size_t count);
  Result<std::vector<OperationRow>> operations(std::uint64_t from_event, std::size_t count);
  Result<std::vector<StoredEvent>> events(std::uint64_t from_event, std::size_t count);
  Result<std::vector<CategoryRow>> categories();

  // Raw as given; nothing where it is not kept.
  Result<std::optional<std::vector<double>>> embedding(std::uint64_t sequence);
  // Fills `into`, rows of settings().dimension numbers, with the embeddings of the samples from
  // `from_sequence` on. False where one of them is not kept.
  Result<bool> embeddings(std::uint64_t from_sequence, std::span<double> into);

  // embedding_checksum() of all embeddings in stream order, also of those no longer kept.
  Result<std::vector<std::uint64_t>> embedding_checksums();

  // What a sample brought along for people to see.
  Result<Extras> extras(std::uint64_t sequence, bool with_picture);

  // Where a sample belongs, after all moves.
  Result<std::optional<Membership>> membership(std::uint64_t sequence);
  // All samples that belong to these prototypes, in stream order, from a sequence on (for a
  // prototype: the sample that made it). Reads that part of the stream.
  Result<std::vector<Membership>> members(std::span<const std::int64_t> prototypes,
                                          std::uint64_t from_sequence = 0);

  Result<std::vector<SnapshotInfo>> snapshots();  // oldest first
  Result<std::optional<Snapshot>> newest_snapshot(std::uint64_t at_most_event);

  Result<JournalInfo> info();

 private:
  struct Parts;
  explicit Journal(std::unique_ptr<Parts> parts);
  static Result<Journal> start(const std::string& path, OpenMode mode, Durability durability);
  std::unique_ptr<Parts> parts_;
};

// Inspects a journal as a whole, also one that open() refuses: chain, pages, embeddings, snapshots,
// model. An Error only where the file is no journal or cannot be read.
Result<JournalReport> verify_journal(const std::string& path, core::Progress& progress,
                                     const std::stop_token& stop);

}  // namespace paco::journal
