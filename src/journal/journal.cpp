#include "journal/journal.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/log_keeper.hpp"
#include "journal/open.hpp"
#include "journal/reader_state.hpp"
#include "journal/writer.hpp"

namespace paco::journal {

using namespace journal;

struct Journal::Writing {
  std::unique_ptr<Writer> writer;
  std::unique_ptr<LogKeeper> keeper;
};

Journal::Journal(std::unique_ptr<State> state, std::unique_ptr<Writing> writing)
    : JournalReader(std::move(state)), writing_(std::move(writing)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal::~Journal() {
  if (state_ != nullptr) (void)close();
}

Result<Journal> Journal::create(const std::string& path, const JournalSettings& settings,
                                std::span<const std::byte> model,
                                std::span<const CategoryRow> categories, Durability durability,
                                std::span<const SupportPicture> pictures) {
  PACO_TRY(journal_path(path));
  if (core::path_kind(path) != core::PathKind::absent || log_bytes(path) != 0)
    return core::files::system_error(path, "make a journal", EEXIST);
  return core::guard_memory("make the journal", [&]() -> Result<Journal> {
    PACO_ASSIGN(const std::vector<std::byte> bytes,
                new_journal_file(path, settings, model, categories, pictures));
    PACO_ASSIGN(core::AtomicFile file, core::AtomicFile::create(path));
    PACO_TRY(file.write(bytes));
    PACO_TRY(file.commit_new());
    return open_unguarded(path, OpenMode::write, durability);
  });
}

Result<Journal> Journal::open(const std::string& path, OpenMode mode, Durability durability) {
  return core::guard_memory("open the journal",
                            [&] { return open_unguarded(path, mode, durability); });
}

Result<Journal> Journal::open_unguarded(const std::string& path, OpenMode mode,
                                        Durability durability) {
  const bool writes = mode == OpenMode::write;
  PACO_ASSIGN(CheckedFile file,
              open_file(path, writes ? Database::Mode::write : Database::Mode::read));
  auto writing = std::make_unique<Writing>();
  const std::string place = file.database.path();
  if (writes) {
    PACO_ASSIGN(writing->writer, Writer::create(std::move(file.database), file.header, file.checked,
                                                durability.full));
    writing->writer->set_record(AcknowledgedFile(place, file.header.chain_start));
    writing->writer->set_most_log_bytes(durability.most_log_bytes);
    PACO_ASSIGN(
        writing->keeper,
        LogKeeper::start(*writing->writer,
                         durability.full ? std::nullopt : std::optional(durability.between_syncs)));
    PACO_ASSIGN(file.database, Database::open(place, Database::Mode::read));
  }
  PACO_ASSIGN(auto state, State::create(std::move(file.database), std::move(file.header),
                                        file.checked, std::make_shared<std::atomic<bool>>()));
  return Journal(std::move(state), writes ? std::move(writing) : nullptr);
}

// Calls work(writer) if there is one.
template <class Work>
Result<void> Journal::write(Work work) {
  if (!state_->database) return closed();
  if (writing_ == nullptr) return misuse("the journal is open for reading");
  return core::guard_memory("write to the journal", [&] { return writing_->keeper->write(work); });
}

Error Journal::misuse(const std::string& what) const {
  return {ErrorCode::bad_argument, fmt::format("{}: {}", path(), what), ""};
}

Result<void> Journal::check(const SampleRow& row, const JournalTail& next) const {
  if (row.event != next.events || row.sequence != next.samples)
    return misuse(fmt::format("sample {} as event {}, and sample {} as event {} is next",
                              row.sequence, row.event, next.samples, next.events));
  if (!row.embedding.empty() && row.embedding.size() != settings().dimension)
    return misuse(fmt::format("the embedding of sample {} has {} numbers, {} are expected",
                              row.sequence, row.embedding.size(), settings().dimension));
  const auto verdict = static_cast<std::size_t>(row.verdict);
  if (verdict >= settings().verdicts.size())
    return misuse(fmt::format("sample {} has verdict {} of {}", row.sequence, verdict,
                              settings().verdicts.size()));
  return {};
}

Result<void> Journal::append(std::span<const SampleRow> samples,
                             std::span<const CategoryRow> changed, const SourceRow* source,
                             std::optional<std::int64_t> time) {
  return write([&](Writer& writer) -> Result<void> {
    JournalTail next = writer.tail();
    for (const SampleRow& row : samples) {
      PACO_TRY(check(row, next));
      ++next.events;
      ++next.samples;
    }
    return writer.append(samples, changed, source, time);
  });
}

Result<void> Journal::append(const OperationRow& operation, std::span<const CategoryRow> changed,
                             std::span<const Membership> moved) {
  return write([&](Writer& writer) -> Result<void> {
    const JournalTail& next = writer.tail();
    if (operation.event != next.events || operation.sequence != next.samples)
      return misuse(fmt::format("operation {} after {} samples, and event {} after {} is next",
                                operation.event, operation.sequence, next.events, next.samples));
    return writer.append(operation, changed, moved);
  });
}

Result<void> Journal::save_snapshot(std::uint64_t event, std::uint64_t sequence, std::string digest,
                                    std::span<const std::byte> bytes) {
  const SnapshotInfo info{event, sequence, std::move(digest), bytes.size()};
  return write([&](Writer& writer) { return writer.save_snapshot(info, bytes); });
}

Result<void> Journal::prune_snapshots(std::size_t keep) {
  return write([&](Writer& writer) { return writer.prune_snapshots(keep); });
}

Result<void> Journal::flush() {
  return writing_ == nullptr ? Result<void>{} : writing_->keeper->flush();
}

Result<void> Journal::compact(const Retention& retention) {
  auto compacted = write([&](Writer& writer) { return writer.compact(retention); });
  if (compacted.ok()) set_retention(retention);
  return compacted;
}

Result<void> Journal::checkpoint() {
  return write([](Writer& writer) { return writer.checkpoint(); });
}

// If the writer's connection is the last one to close, closing it moves the log into the file.
Result<void> Journal::close() {
  PACO_TRY(flush());
  close_reader();
  if (writing_ == nullptr) return {};
  writing_->keeper.reset();
  static_cast<void>(writing_->writer->settle());
  const bool needs_log = writing_->writer->needs_log();  // true if the disk is full
  AcknowledgedFile record = writing_->writer->take_record();
  writing_.reset();
  if (!needs_log && log_bytes(path()) == 0) record.remove();
  return {};
}

Result<JournalReport> verify_journal(const std::string& path, core::Progress& progress,
                                     const std::stop_token& stop) {
  PACO_ASSIGN(UncheckedFile file, open_unchecked(path));
  return inspect(file.database, file.may_lack_log, progress, stop);
}

}  // namespace paco::journal
