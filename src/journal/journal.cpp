#include "journal/journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <unordered_set>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/background_writer.hpp"
#include "journal/open.hpp"
#include "journal/reader.hpp"
#include "journal/schema.hpp"
#include "journal/writer.hpp"

namespace paco::journal {

using namespace journal;

// The connections in the order in which they must not be closed: the writer's is the last, and
// tidies up.
struct Journal::Parts {
  std::string path;
  std::unique_ptr<Writer> writer;                // full durability
  std::unique_ptr<BackgroundWriter> background;  // relaxed
  std::unique_ptr<Reader> reader;
  JournalTail next;  // of a writer: where the next event goes
  Batch batch;

  bool writes() const { return writer != nullptr || background != nullptr; }

  Result<void> check(const SampleRow& row, std::uint64_t event, std::uint64_t sequence);
  Result<void> check_keys(std::span<const SampleRow> samples);
  Result<std::optional<StoredSample>> find_key(std::string_view key);
  Error misuse(const std::string& what) const {
    return Error{ErrorCode::bad_argument, fmt::format("{}: {}", path, what), ""};
  }
  Error closed() const {
    return misuse(reader == nullptr ? "the journal is closed" : "the journal is open for reading");
  }

  // Calls body and turns a lack of memory into an Error.
  template <class Body>
  auto guarded(Body body) const -> decltype(body()) {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return core::files::system_error(path, "go on", ENOMEM);
    }
  }

  // One group, by whichever writer there is; `fill` adds it to a batch.
  template <class Fill>
  Result<void> put(Fill fill) {
    if (background != nullptr) return background->add(fill);
    batch.clear();
    fill(batch);
    return writer->write(batch);
  }

  // Calls work(writer) when all before is written.
  template <class Work>
  Result<void> with_writer(Work work) {
    if (!writes()) return closed();
    return guarded([&] { return background ? background->with_writer(work) : work(*writer); });
  }

  // Calls body(reader) when it can see all that was appended.
  template <class Body>
  auto ask(Body body) -> decltype(body(*reader)) {
    if (reader == nullptr) return closed();
    return guarded([&]() -> decltype(body(*reader)) {
      if (background != nullptr) PACO_TRY(background->drain(false));
      return body(*reader);
    });
  }
};

Journal::Journal(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

Result<Journal> Journal::create(const std::string& path, const JournalSettings& settings,
                                std::span<const std::byte> model, Durability durability) {
  if (core::path_kind(path) != core::PathKind::absent || log_bytes(path) != 0)
    return core::files::system_error(path, "make a journal", EEXIST);
  Parts guard;
  guard.path = path;
  return guard.guarded([&]() -> Result<Journal> {
    PACO_ASSIGN(const std::vector<std::byte> bytes, empty_journal(path, settings, model));
    PACO_ASSIGN(core::AtomicFile file, core::AtomicFile::create(path));
    PACO_TRY(file.write(bytes));
    PACO_TRY(file.commit_new());
    return start(path, OpenMode::write, durability);
  });
}

Result<Journal> Journal::open(const std::string& path, OpenMode mode, Durability durability) {
  Parts guard;
  guard.path = path;
  return guard.guarded([&] { return start(path, mode, durability); });
}

Result<Journal> Journal::start(const std::string& path, OpenMode mode, Durability durability) {
  const bool writes = mode == OpenMode::write;
  PACO_ASSIGN(OpenedFile file,
              open_file(path, writes ? Database::Mode::write : Database::Mode::read));
  auto parts = std::make_unique<Parts>();
  parts->path = path;
  parts->next = file.tail;
  if (!writes) {
    PACO_ASSIGN(parts->reader, Reader::create(std::move(file.database), std::move(file.opened)));
    return Journal(std::move(parts));
  }
  PACO_ASSIGN(auto writer, Writer::create(std::move(file.database), file.opened.settings, file.tail,
                                          durability.full));
  if (durability.full) {
    parts->writer = std::move(writer);
  } else {
    PACO_ASSIGN(parts->background,
                BackgroundWriter::create(std::move(writer), durability.between_syncs));
  }
  PACO_ASSIGN(Database reading, Database::open(path, Database::Mode::read));
  PACO_ASSIGN(parts->reader, Reader::create(std::move(reading), std::move(file.opened)));
  return Journal(std::move(parts));
}

Result<Journal> Journal::beside() const {
  if (parts_->reader == nullptr) return parts_->closed();
  return parts_->guarded([&]() -> Result<Journal> {
    auto parts = std::make_unique<Parts>();
    parts->path = parts_->path;
    PACO_ASSIGN(Database reading, Database::open(parts->path, Database::Mode::read));
    PACO_ASSIGN(parts->reader, Reader::create(std::move(reading), parts_->reader->opened()));
    return Journal(std::move(parts));
  });
}

Result<void> Journal::copy_to(const std::string& path) {
  return parts_->ask([&](Reader& reader) {
    // SQLite counts the other file as something that is written here.
    Database& database = reader.database();
    Result<void> done = database.run("PRAGMA query_only=OFF");
    if (done.ok()) done = database.run("VACUUM INTO " + quote_text(path));
    const Result<void> closed = database.run("PRAGMA query_only=ON");
    return done.ok() ? closed : done;
  });
}

const std::string& Journal::path() const { return parts_->path; }
const JournalSettings& Journal::settings() const { return parts_->reader->opened().settings; }

Result<void> Journal::Parts::check(const SampleRow& row, std::uint64_t event,
                                   std::uint64_t sequence) {
  const JournalSettings& settings = reader->opened().settings;
  if (row.event != event || row.sequence != sequence)
    return misuse(fmt::format("sample {} as event {}, and sample {} as event {} is next",
                              row.sequence, row.event, sequence, event));
  if (row.evidence.size() != settings.evidence.size())
    return misuse(fmt::format("sample {} has {} evidence numbers, {} are expected", sequence,
                              row.evidence.size(), settings.evidence.size()));
  if (!row.embedding.empty() && row.embedding.size() != settings.dimension)
    return misuse(fmt::format("the embedding of sample {} has {} numbers, {} are expected",
                              sequence, row.embedding.size(), settings.dimension));
  if (row.verdict >= settings.verdicts.size())
    return misuse(fmt::format("sample {} has verdict {} of {}", sequence, row.verdict,
                              settings.verdicts.size()));
  return {};
}

// In relaxed mode, where what has been taken has to be writable. Otherwise the file itself refuses.
Result<void> Journal::Parts::check_keys(std::span<const SampleRow> samples) {
  if (background == nullptr) return {};
  std::unordered_set<std::string_view> seen;
  for (const SampleRow& row : samples) {
    if (!row.key) continue;
    PACO_ASSIGN(const auto earlier, find_key(*row.key));
    if (earlier || !seen.insert(*row.key).second)
      return duplicate_key(path, row.sequence, *row.key);
  }
  return {};
}

// A key that does not wait is in the file or nowhere: no need to write first.
Result<std::optional<StoredSample>> Journal::Parts::find_key(std::string_view key) {
  if (background != nullptr && background->is_waiting(key)) PACO_TRY(background->drain(false));
  return reader->find_key(key);
}

Result<void> Journal::append(std::span<const SampleRow> samples,
                             std::span<const CategoryRow> changed) {
  Parts& parts = *parts_;
  if (!parts.writes()) return parts.closed();
  JournalTail next = parts.next;
  for (const SampleRow& row : samples) PACO_TRY(parts.check(row, next.events++, next.samples++));
  const Result<void> taken = parts.guarded([&]() -> Result<void> {
    PACO_TRY(parts.check_keys(samples));
    return parts.put([&](Batch& batch) {
      for (const SampleRow& row : samples) batch.add(row);
      batch.add(changed);
    });
  });
  if (!taken.ok()) return taken;
  parts.next = next;
  return {};
}

Result<void> Journal::append(const OperationRow& operation, std::span<const CategoryRow> changed,
                             std::span<const Membership> moved) {
  Parts& parts = *parts_;
  if (!parts.writes()) return parts.closed();
  if (operation.event != parts.next.events || operation.sequence != parts.next.samples)
    return parts.misuse(fmt::format("operation {} after {} samples, and event {} after {} is next",
                                    operation.event, operation.sequence, parts.next.events,
                                    parts.next.samples));
  PACO_TRY(parts.guarded([&] {
    return parts.put([&](Batch& batch) {
      batch.add(operation);
      batch.add(changed);
      batch.add(moved);
    });
  }));
  ++parts.next.events;
  ++parts.next.operations;
  return {};
}

Result<void> Journal::save_snapshot(std::uint64_t event, std::uint64_t sequence, std::string digest,
                                    std::span<const std::byte> bytes) {
  Parts& parts = *parts_;
  if (!parts.writes()) return parts.closed();
  return parts.guarded([&] {
    Snapshot snapshot;
    snapshot.event = event;
    snapshot.sequence = sequence;
    snapshot.digest = std::move(digest);
    snapshot.size = bytes.size();
    snapshot.bytes.assign(bytes.begin(), bytes.end());
    return parts.put([&](Batch& batch) { batch.add(std::move(snapshot)); });
  });
}

Result<void> Journal::prune_snapshots(std::size_t keep) {
  PACO_ASSIGN(const std::vector<SnapshotInfo> list, snapshots());
  if (list.size() <= keep) return {};
  std::vector<std::uint64_t> old;
  for (std::size_t i = 0; i + keep < list.size(); ++i) old.push_back(list[i].event);
  return parts_->with_writer([&](Writer& writer) { return writer.remove_snapshots(old); });
}

Result<void> Journal::flush() {
  if (parts_->background == nullptr) return {};
  return parts_->background->drain(true);
}

Result<void> Journal::compact(const Retention& retention) {
  PACO_TRY(parts_->with_writer([&](Writer& writer) { return writer.compact(retention); }));
  parts_->reader->set_retention(retention);
  return {};
}

Result<void> Journal::checkpoint() {
  return parts_->with_writer([](Writer& writer) { return writer.checkpoint(); });
}

Result<void> Journal::close() {
  Parts& parts = *parts_;
  PACO_TRY(flush());
  parts.reader.reset();
  parts.background.reset();
  parts.writer.reset();
  return {};
}

Result<std::vector<std::byte>> Journal::model() {
  return parts_->ask(
      [](Reader& reader) { return read_model(reader.database(), reader.opened().model); });
}

Result<JournalTail> Journal::tail() {
  return parts_->ask([](Reader& reader) { return reader.tail(); });
}

Result<std::optional<StoredSample>> Journal::find_key(std::string_view key) {
  if (parts_->reader == nullptr) return parts_->closed();
  return parts_->guarded([&] { return parts_->find_key(key); });
}

Result<std::optional<StoredSample>> Journal::sample(std::uint64_t sequence) {
  return parts_->ask([&](Reader& reader) { return reader.sample(sequence); });
}

Result<std::vector<std::uint64_t>> Journal::embedding_checksums() {
  return parts_->ask([](Reader& reader) { return reader.embedding_checksums(); });
}

Result<std::vector<StoredSample>> Journal::samples(std::uint64_t from, std::size_t count) {
  return parts_->ask([&](Reader& reader) { return reader.samples(from, count); });
}

Result<std::vector<OperationRow>> Journal::operations(std::uint64_t from, std::size_t count) {
  return parts_->ask([&](Reader& reader) { return reader.operations(from, count); });
}

Result<std::vector<StoredEvent>> Journal::events(std::uint64_t from, std::size_t count) {
  return parts_->ask([&](Reader& reader) { return reader.events(from, count); });
}

Result<std::vector<CategoryRow>> Journal::categories() {
  return parts_->ask([](Reader& reader) { return reader.categories(); });
}

Result<bool> Journal::embeddings(std::uint64_t from, std::span<double> into) {
  return parts_->ask([&](Reader& reader) { return reader.embeddings(from, into); });
}

Result<std::optional<std::vector<double>>> Journal::embedding(std::uint64_t sequence) {
  return parts_->ask([&](Reader& reader) -> Result<std::optional<std::vector<double>>> {
    std::vector<double> row(reader.opened().settings.dimension);
    PACO_ASSIGN(const bool kept, reader.embeddings(sequence, row));
    return kept ? std::optional(std::move(row)) : std::nullopt;
  });
}

Result<Extras> Journal::extras(std::uint64_t sequence, bool with_picture) {
  return parts_->ask([&](Reader& reader) { return reader.extras(sequence, with_picture); });
}

Result<std::optional<Membership>> Journal::membership(std::uint64_t sequence) {
  return parts_->ask([&](Reader& reader) { return reader.membership(sequence); });
}

Result<std::vector<Membership>> Journal::members(std::span<const std::int64_t> prototypes,
                                                 std::uint64_t from) {
  return parts_->ask([&](Reader& reader) { return reader.members(prototypes, from); });
}

Result<std::vector<SnapshotInfo>> Journal::snapshots() {
  return parts_->ask([](Reader& reader) { return reader.snapshots(); });
}

Result<std::optional<Snapshot>> Journal::newest_snapshot(std::uint64_t at_most_event) {
  return parts_->ask([&](Reader& reader) { return reader.newest_snapshot(at_most_event); });
}

Result<JournalInfo> Journal::info() {
  return parts_->ask([](Reader& reader) { return reader.info(); });
}

Result<JournalReport> verify_journal(const std::string& path, core::Progress& progress,
                                     const std::stop_token& stop) {
  PACO_ASSIGN(Database database, open_unchecked(path));
  return inspect(database, progress, stop);
}

}  // namespace paco::journal
