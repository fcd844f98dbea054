// The store of a stream: one SQLite file with the model, every event in order, the categories, the
// embeddings and snapshots of the method. It stores and returns them; what events mean, and which
// state they add up to, is up to the session.
//
//   PACO_ASSIGN(Journal journal, Journal::create("birds.journal", settings, model, known, {}));
//   PACO_TRY(journal.append(rows, changed_categories));      // all of it or nothing
//   PACO_ASSIGN(auto decided, journal.find_key("img_0017"));
//
// One writer at a time, in all processes, and any number of readers (JournalReader). One thread at
// a time. After an error of append() the journal is as before the call and can still be used.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "journal/check.hpp"
#include "journal/reader.hpp"
#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

// `read`: calls that write are refused, as with a JournalReader.
enum class OpenMode { read, write };

struct Durability {
  // Full: append() returns when the events are on the disk. Relaxed: it returns when they are
  // written; they are synced every so often, and a sync that fails shows at a later call.
  bool full = true;
  std::chrono::milliseconds between_syncs{200};  // relaxed only
  // A program that reads all the time keeps the log from starting anew; beyond this length nothing
  // more is appended until it ends.
  std::uint64_t most_log_bytes = std::uint64_t{4} << 30;
};

// Every question of JournalReader, and writing. What was appended is seen at once.
class Journal : public JournalReader {
 public:
  // A new journal with these categories and no event. It is built aside and takes its name when it
  // is complete; an existing file is refused. After a crash there is either no journal or this one.
  static Result<Journal> create(const std::string& path, const JournalSettings& settings,
                                std::span<const std::byte> model,
                                std::span<const CategoryRow> categories, Durability durability,
                                std::span<const SupportPicture> pictures = {});
  // Checks every event, as JournalReader::open(), and refuses to write if another writer has it.
  static Result<Journal> open(const std::string& path, OpenMode mode, Durability durability);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();  // like close(), without an answer

  // A group of samples and the categories that they changed, as one step. Events and sequences
  // continue tail() without a gap. `source`: the file that they came from, read up to here. `time`:
  // when they came, in seconds since 1970.
  Result<void> append(std::span<const SampleRow> samples, std::span<const CategoryRow> changed,
                      const SourceRow* source = nullptr,
                      std::optional<std::int64_t> time = std::nullopt);
  Result<void> append(const OperationRow& operation, std::span<const CategoryRow> changed,
                      std::span<const Membership> moved);
  // The state after the first `event` events. Replaces one of the same event.
  Result<void> save_snapshot(std::uint64_t event, std::uint64_t sequence, std::string digest,
                             std::span<const std::byte> bytes);
  // Removes all snapshots but the newest `keep`.
  Result<void> prune_snapshots(std::size_t keep);
  // Returns when all that was appended is on the disk, whatever the durability.
  Result<void> flush();
  // Changes what is kept, removes the rest and makes the file as small as possible. Afterwards
  // exactly as many embeddings are kept as asked for; in between, up to a sixteenth more.
  Result<void> compact(const Retention& retention);
  // Moves the write-ahead log into the file; close() ends with it, and a second without events
  // does. A closed journal is one file.
  Result<void> checkpoint();
  Result<void> close();

 private:
  struct Writing;
  Journal(std::unique_ptr<State> state, std::unique_ptr<Writing> writing);
  static Result<Journal> open_unguarded(const std::string& path, OpenMode mode,
                                        Durability durability);
  Result<void> check(const SampleRow& row, const JournalTail& next) const;
  Error misuse(const std::string& what) const;
  template <class Work>
  Result<void> write(Work work);
  std::unique_ptr<Writing> writing_;  // none: for reading, or closed
};

// Makes a second journal, as the first is at this moment; its writer may go on meanwhile. The copy
// is verified before it takes its name; if it is damaged, the report says so and there is no copy.
// An existing file is refused.
Result<JournalReport> copy_journal(const std::string& from, const std::string& to,
                                   core::Progress& progress, const std::stop_token& stop);

// Removes what a journal that is gone left beside it, so that another can take its name.
Result<void> remove_leftovers(const std::string& path);

// Takes the events that are there for all there ever were: those that were acknowledged and are
// missing are given up, and the journal can be opened again. Refused if one that is there is
// damaged. Returns how far it goes.
Result<JournalTail> accept_loss(const std::string& path);

// Checks a journal as a whole, also one that open() refuses: events, pages, embeddings, snapshots,
// model. An Error only if the file is no journal or cannot be read.
Result<JournalReport> verify_journal(const std::string& path, core::Progress& progress,
                                     const std::stop_token& stop);

}  // namespace paco::journal
