// Reads a journal: samples and events by range, a sample by its key, categories, embeddings,
// snapshots. For everything that uses a stream without deciding: the server, exports, replays,
// tools.
//
//   PACO_ASSIGN(JournalReader journal, JournalReader::open("birds.journal"));
//   PACO_ASSIGN(const auto page, journal.samples(1000, 256));    // samples 1000 to 1255
//   PACO_ASSIGN(const auto decided, journal.find_key("img_0017"));
//
// A reader has a connection of its own and never changes the file. It may be used while another
// thread or process writes, and sees at each call what is committed then. One thread at a time; for
// another thread, open another one with another_reader().
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
  // Checks the events since a writer last did (all of them are checked by verify_journal(), and
  // each when it is read); refuses a file that is damaged, not a journal, or of another version.
  static Result<JournalReader> open(const std::string& path);
  // A second reader of the same journal, without checking it again.
  Result<JournalReader> another_reader() const;
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();

  const std::string& path() const;
  const JournalSettings& settings() const;
  // The bytes of the model file that the stream is decided with.
  Result<std::vector<std::byte>> model();
  // How far the journal goes.
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

  // The prototype that a sample belongs to, after all moves.
  Result<std::optional<Membership>> membership(std::uint64_t sequence);
  // All samples that belong to one of these prototypes, in stream order, from a number on (for a
  // prototype: the sample that made it). Reads that part of the stream.
  Result<std::vector<Membership>> members(std::span<const std::int64_t> prototypes,
                                          std::uint64_t from_sequence = 0);
  // Attributes and picture of a sample. The picture only if asked for.
  Result<Extras> extras(std::uint64_t sequence, bool with_picture);

  // When a sample came, in seconds since 1970; nothing if the journal does not know.
  Result<std::optional<std::int64_t>> arrival(std::uint64_t sequence);
  // The first sample that came at that time or later; nothing if none did.
  Result<std::optional<std::uint64_t>> first_since(std::int64_t time);
  // How many pictures of a known class are kept, and one of them; empty if it is not there.
  Result<std::uint64_t> support_pictures(std::int64_t category);
  Result<std::string> support_picture(std::int64_t category, std::uint64_t position);

  // The embedding as it was given; nothing if it is not kept.
  Result<std::optional<std::vector<double>>> embedding(std::uint64_t sequence);
  // Fills `into`, rows of settings().dimension numbers, with the embeddings of consecutive samples.
  // False if one of them is not kept.
  Result<bool> embeddings(std::uint64_t from_sequence, std::span<double> into);
  // embedding_checksum() of every sample, in order, also of those no longer kept; 0 if it had none.
  Result<std::vector<std::uint64_t>> embedding_checksums();
  // The same of one sample; nothing if it had no embedding, or is not there.
  Result<std::optional<std::uint64_t>> embedding_checksum(std::uint64_t sequence);

  // The files that samples were read from.
  Result<std::vector<SourceRow>> sources();

  Result<std::vector<SnapshotInfo>> snapshots();  // oldest first
  // The newest snapshot of at most so many events.
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
