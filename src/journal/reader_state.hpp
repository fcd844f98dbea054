// The private state of a JournalReader, for the files of this folder: its connection and prepared
// statements.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/memory_guard.hpp"
#include "journal/checksum.hpp"
#include "journal/database.hpp"
#include "journal/reader.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

// Opening a journal does not read the rows before the last checked event again. So every row is
// compared with the chain when it is read: it must continue the chain after event - 1.
struct ChainBefore {
  std::optional<std::uint64_t> event;
  std::uint64_t chain = 0;
};

struct JournalReader::State {
  // `database` is open for reading and was checked up to `checked`; see open.hpp. Readers of one
  // journal share `keys_are_good`.
  static Result<std::unique_ptr<State>> create(journal::Database database,
                                               journal::JournalHeader header, CheckedTail checked,
                                               std::shared_ptr<std::atomic<bool>> keys_are_good);

  Result<std::optional<io::DecidedSample>> single(journal::Statement& statement);
  // Reads the current row of the statement `row` and compares it with the chain. `before` is the
  // chain before its event if known, and is set to the chain after it.
  Result<void> take_sample(const journal::Statement& row, ChainBefore& before,
                           io::DecidedSample& into);
  Result<OperationRow> take_operation(const journal::Statement& row, ChainBefore& before);
  Result<std::uint64_t> chain_before(std::uint64_t event, const ChainBefore& before);

  std::optional<journal::Database> database;  // none: closed
  std::string path;
  journal::JournalHeader header;
  CheckedTail checked;
  std::shared_ptr<std::atomic<bool>> keys_are_good;  // the index of keys was compared with the rows
  FieldSum fields;
  journal::Statement by_sequence, by_key, page, operation_page, embedding_run, moved, extras,
      picture, arrival, sample_chain, operation_chain;
};

template <class Body>
auto JournalReader::ask(Body body) -> decltype(body(*state_)) {
  if (!state_->database) return closed();
  return core::guard_memory("read the journal", [&] { return body(*state_); });
}

}  // namespace paco::journal
