#include "bus/replica_journal.hpp"

#include <fmt/format.h>

#include <charconv>

#include "bus/store.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/journal.hpp"

namespace paco::bus {
namespace {

constexpr auto kRelaxed = JournalOptions::Durability::relaxed;
constexpr const char* kSnapshot = "snapshot";

Result<Session> open_there(const StreamSettings& settings, const std::string& path, int threads,
                           const std::stop_token& stop) {
  PACO_ASSIGN(Session session, Session::open(path, threads, kRelaxed, stop));
  const std::string model = session.model().fingerprint();
  if (model == settings.model && session.method().name() == settings.method) return session;
  return Error{
      ErrorCode::mismatch,
      fmt::format("{}: a journal of model {} and method '{}', stream '{}' has model {} and "
                  "method '{}'",
                  path, model, session.method().name(), settings.name, settings.model,
                  settings.method),
      "name the journal of this stream, or one that is not there"};
}

}  // namespace

Result<OpenedJournal> open_replica_journal(const std::shared_ptr<Connection>& connection,
                                           const StreamSettings& settings, const std::string& path,
                                           int threads, const std::stop_token& stop) {
  if (core::path_kind(path) != core::PathKind::absent) {
    PACO_ASSIGN(Session session, open_there(settings, path, threads, stop));
    return OpenedJournal{std::move(session), "its journal"};
  }
  PACO_ASSIGN(const std::optional<StoredFile> copy,
              get_file(connection, settings.name, kSnapshot, stop));
  PACO_TRY(journal::remove_leftovers(path));
  if (copy) {
    PACO_TRY(core::write_file(path, copy->bytes));
    PACO_ASSIGN(Session session, open_there(settings, path, threads, stop));
    return OpenedJournal{std::move(session), "a snapshot"};
  }
  PACO_ASSIGN(auto model, fetch_model(connection, settings, stop));
  MethodOptions method;
  method.threads = threads;
  JournalOptions journal;
  journal.durability = kRelaxed;
  journal.embeddings = settings.embeddings;
  PACO_ASSIGN(Session session,
              Session::create(path, std::move(model), settings.method, method, journal));
  return OpenedJournal{std::move(session), "the model"};
}

Result<void> put_snapshot(const std::shared_ptr<Connection>& connection,
                          const StreamSettings& settings, const std::string& journal,
                          std::uint64_t event, const std::stop_token& stop) {
  const std::string copy = journal + ".snapshot";
  if (core::path_kind(copy) != core::PathKind::absent) PACO_TRY(core::remove_file(copy));
  PACO_ASSIGN(journal::JournalReader reader, journal::JournalReader::open(journal));
  PACO_TRY(reader.copy_to(copy));
  const Result<std::vector<std::byte>> bytes = core::read_file(copy);
  PACO_TRY(core::remove_file(copy));
  PACO_TRY(bytes);
  return put_file(connection, settings.name, kSnapshot, std::to_string(event), *bytes, stop);
}

Result<std::uint64_t> snapshot_event(const std::shared_ptr<Connection>& connection,
                                     const std::string& stream, const std::stop_token& stop) {
  PACO_ASSIGN(const std::optional<std::string> note,
              file_note(connection, stream, kSnapshot, stop));
  std::uint64_t event = 0;
  if (note) std::from_chars(note->data(), note->data() + note->size(), event);
  return event;
}

}  // namespace paco::bus
