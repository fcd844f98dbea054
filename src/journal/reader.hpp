// Reads a journal: samples and events by range, a sample by its key, categories, embeddings,
// snapshots. Used by everything that reads a stream without deciding: the server, exports, replays,
// tools.
//
//   PACO_ASSIGN(JournalReader journal, JournalReader::open("birds.journal"));
//   PACO_ASSIGN(const auto page, journal.samples(1000, 256));    // samples 1000 to 1255
//   PACO_ASSIGN(const auto decided, journal.find_key("img_0017"));
//
// A reader has its own connection and never changes the file. Another thread or process may write
// meanwhile; each call sees what is committed at that time. One thread at a time; another_reader()
// opens a reader for another thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

class JournalReader {
 public:
  // Checks the events since the last check by a writer; verify_journal() checks all of them, and
  // each event is checked when it is read. Fails if the file is damaged, not a journal, or of
  // another version.
  static Result<JournalReader> open(const std::string& path);
  // Opens a second reader of the same journal without checking it again.
  Result<JournalReader> another_reader() const;
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();

  const std::string& path() const;
  const JournalSettings& settings() const;
  // The bytes of the stream's model file.
  Result<std::vector<std::byte>> model();
  // Where the journal ends.
  Result<JournalTail> tail();
  Result<JournalInfo> info();

  // One sample, by its number or by its key; nothing if there is none.
  Result<std::optional<io::DecidedSample>> sample(std::uint64_t sequence);
  Result<std::optional<io::DecidedSample>> find_key(std::string_view key);
  // At most `count` rows from a number on, in order; fewer only at the end.
  Result<std::vector<io::DecidedSample>> samples(std::uint64_t from_sequence, std::size_t count);
  Result<std::vector<OperationRow>> operations(std::uint64_t from_event, std::size_t count);
  Result<std::vector<StoredEvent>> events(std::uint64_t from_event, std::size_t count);
  // All categories as they are now, by id.
  Result<std::vector<CategoryRow>> categories();

  // The prototype that a sample belongs to now, with all moves applied.
  Result<std::optional<Membership>> membership(std::uint64_t sequence);
  // All samples from a number on that belong to one of these prototypes, in stream order. Reads
  // that part of the stream. A moved sample may be older than the one that created its prototype.
  Result<std::vector<Membership>> members(std::span<const std::int64_t> prototypes,
                                          std::uint64_t from_sequence = 0);
  // Attributes and picture of a sample; the picture only if requested.
  Result<Extras> extras(std::uint64_t sequence, bool with_picture);

  // When a sample came, in seconds since 1970; nothing if the journal has no time for it.
  Result<std::optional<std::int64_t>> arrival(std::uint64_t sequence);
  // The first sample that came at that time or later; nothing if none did.
  Result<std::optional<std::uint64_t>> first_since(std::int64_t time);
  // The number of stored pictures of a known class, and one of these pictures; empty if it does not
  // exist.
  Result<std::uint64_t> support_pictures(std::int64_t category);
  Result<std::string> support_picture(std::int64_t category, std::uint64_t position);

  // The embedding as it was given; nothing if it is not kept.
  Result<std::optional<std::vector<double>>> embedding(std::uint64_t sequence);
  // Fills `into`, rows of settings().dimension numbers, with the embeddings of consecutive samples.
  // False if one of them is not kept.
  Result<bool> embeddings(std::uint64_t from_sequence, std::span<double> into);
  // embedding_checksum() of every sample in order, including embeddings no longer kept; 0 for
  // samples without one.
  Result<std::vector<std::uint64_t>> embedding_checksums();
  // The same for one sample; nothing if it had no embedding or does not exist.
  Result<std::optional<std::uint64_t>> embedding_checksum(std::uint64_t sequence);

  // The files that samples were read from.
  Result<std::vector<SourceRow>> sources();

  Result<std::vector<SnapshotInfo>> snapshots();  // oldest first
  // The newest snapshot after at most this many events.
  Result<std::optional<Snapshot>> newest_snapshot(std::uint64_t at_most_event);

  // Copies the journal as it is at this moment into a new file. A writer may go on meanwhile.
  Result<void> copy_to(const std::string& path);

 protected:
  struct State;
  explicit JournalReader(std::unique_ptr<State> state);
  Error closed() const;
  void close_reader();
  void set_retention(const Retention& retention);
  std::unique_ptr<State> state_;

 private:
  template <class Body>
  auto ask(Body body) -> decltype(body(*state_));
};

}  // namespace paco::journal
