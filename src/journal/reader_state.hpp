// The inside of a JournalReader, for the files of this folder: its connection and its prepared
// questions.
#pragma once

#include <optional>
#include <string>

#include "core/memory_guard.hpp"
#include "journal/database.hpp"
#include "journal/reader.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

struct JournalReader::State {
  // `database` is open for reading and was checked; see open.hpp.
  static Result<std::unique_ptr<State>> create(journal::Database database,
                                               journal::JournalHeader header);

  Result<std::optional<StoredSample>> single(journal::Statement& statement);

  std::optional<journal::Database> database;  // none: closed
  std::string path;
  journal::JournalHeader header;
  journal::Statement by_sequence, by_key, page, operation_page, embedding_run, moved, extras,
      picture;
};

template <class Body>
auto JournalReader::ask(Body body) -> decltype(body(*state_)) {
  if (!state_->database) return closed();
  return core::guard_memory("read the journal", [&] { return body(*state_); });
}

}  // namespace paco::journal
