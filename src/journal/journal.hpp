// The store of a stream: one SQLite file with the model, all events in order, the categories, the
// embeddings and snapshots of the method. It only stores and returns these; the session interprets
// events and computes the state from them.
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

// With `read`, calls that write fail, as with a JournalReader.
enum class OpenMode { read, write };

struct Durability {
  // Full: append() returns when the events are on the disk. Relaxed: append() returns when they are
  // written; a sync follows at intervals, and a later call reports a failed sync.
  bool full = true;
  std::chrono::milliseconds between_syncs{200};  // relaxed only
  // While a program reads without pause, the log cannot start over. If it reaches this length,
  // append() fails until that program ends.
  std::uint64_t most_log_bytes = std::uint64_t{4} << 30;
};

// All queries of JournalReader, and writing. Appended events are visible at once.
class Journal : public JournalReader {
 public:
  // Creates a journal with these categories and no event. Fails if the file exists. The journal is
  // built under another name and renamed when it is complete, so a crash leaves either no journal
  // or this one.
  static Result<Journal> create(const std::string& path, const JournalSettings& settings,
                                std::span<const std::byte> model,
                                std::span<const CategoryRow> categories, Durability durability,
                                std::span<const SupportPicture> pictures = {});
  // Checks the events as JournalReader::open() does. Fails if another writer has the journal open.
  static Result<Journal> open(const std::string& path, OpenMode mode, Durability durability);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();  // like close(), but reports no error

  // Appends a group of samples and the categories that they changed, as one step. Events and
  // sequences continue tail() without a gap. `source`: the file that the samples came from, and how
  // far it has been read. `time`: when they came, in seconds since 1970.
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
  // Returns when everything appended is on the disk, whatever the durability.
  Result<void> flush();
  // Changes what is kept, removes everything else and makes the file as small as possible.
  // Afterwards exactly the requested number of embeddings is kept; between calls, up to a sixteenth
  // more.
  Result<void> compact(const Retention& retention);
  // Moves the write-ahead log into the file. close() does this too, and so does a second without
  // events. A closed journal is one file.
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
  std::unique_ptr<Writing> writing_;  // null: opened for reading, or closed
};

// Copies the journal as it is at this moment; a writer may continue meanwhile. The copy is verified
// before it gets its name. If it is damaged, the report says so and no copy is made. Fails if the
// file exists.
Result<JournalReport> copy_journal(const std::string& from, const std::string& to,
                                   core::Progress& progress, const std::stop_token& stop);

// Removes the files that a deleted journal left beside it, so that a new journal can take its name.
Result<void> remove_leftovers(const std::string& path);

// Accepts the loss of events that were acknowledged and are missing: the remaining events become
// the whole journal, which can be opened again. Fails if a remaining event is damaged. Returns
// where the journal now ends.
Result<JournalTail> accept_loss(const std::string& path);

// Checks a whole journal, including one that open() refuses: events, pages, embeddings, snapshots,
// model. Returns an Error only if the file is no journal or cannot be read.
Result<JournalReport> verify_journal(const std::string& path, core::Progress& progress,
                                     const std::stop_token& stop);

}  // namespace paco::journal
