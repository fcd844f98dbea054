#include "session/session_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/try.hpp"
#include "journal/checksum.hpp"
#include "session/fold.hpp"
#include "session/journal_rows.hpp"
#include "session/key_content.hpp"
#include "session/verified.hpp"

namespace paco {
// Restores the newest snapshot and folds the events after it.
Result<void> Session::Impl::catch_up(std::stop_token stop) {
  PACO_ASSIGN(const journal::JournalTail tail, journal->tail());
  PACO_ASSIGN(method, session::method_of_journal(*journal, threads));
  PACO_ASSIGN(std::optional<journal::Snapshot> snapshot, journal->newest_snapshot(tail.events));
  std::uint64_t from = 0;
  if (snapshot) {
    from = snapshot->event;
    snapshot_at = snapshot->sequence;
    PACO_TRY(method->restore(std::move(snapshot->bytes),
                             fmt::format("{} (snapshot at event {})", journal->path(), from)));
  }
  session::FoldOptions options;
  options.stop = std::move(stop);
  PACO_ASSIGN(const session::FoldOutcome outcome, session::fold(*journal, *method, from, options));
  if (outcome.first_difference) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: sample {} is decided otherwise than recorded", journal->path(),
                             *outcome.first_difference),
                 "'paco journal verify' and 'paco replay' tell more; nothing was changed"};
  }
  PACO_ASSIGN(VerifiedSamples marks, session::verified_in(*journal));
  verified = std::make_shared<const VerifiedSamples>(std::move(marks));
  events = tail.events;
  ahead = false;
  return {};
}

// Called before every change.
Result<void> Session::Impl::recover() {
  if (read_only) {
    return Error{ErrorCode::bad_argument, fmt::format("{}: opened to look at it", journal->path()),
                 "open it to write"};
  }
  if (!ahead) return {};
  if (!journal) {
    return Error{ErrorCode::out_of_memory, "memory ran out in the midst of an earlier call",
                 "start a new session from the last state that was saved"};
  }
  return catch_up({});
}

Result<std::optional<Decision>> Session::Impl::find_key(const std::string& key) {
  if (!journal) {
    const auto found = by_key.find(key);
    return found == by_key.end() ? std::nullopt : std::optional(found->second);
  }
  PACO_ASSIGN(const std::optional<io::DecidedSample> found, journal->find_key(key));
  return found ? std::optional<Decision>(*found) : std::nullopt;
}

Result<bool> Session::Impl::has_content(std::uint64_t sequence, std::span<const double> embedding) {
  if (!journal) return true;
  PACO_ASSIGN(const std::optional<std::uint64_t> checksum, journal->embedding_checksum(sequence));
  if (!checksum || *checksum == journal::embedding_checksum(embedding)) return true;
  PACO_ASSIGN(const auto stored, journal->embedding(sequence));
  return stored && session::same_content(*stored, embedding);
}

// Writes one group: samples and the categories that they created.
Result<void> Session::Impl::write(std::span<const Decision> decisions,
                                  Rows<const double> embeddings, std::span<const std::size_t> rows,
                                  const SampleNames& names, CategoryId first_new) {
  std::vector<journal::SampleRow> samples;
  samples.reserve(decisions.size());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    journal::SampleRow row{{decisions[i]}, {}, {}, {}};
    row.event = events + i;
    const std::size_t at = rows.empty() ? i : rows[i];
    if (!names.keys.empty()) row.key = names.keys[at];
    if (!names.ids.empty()) row.sample = names.ids[at];
    if (!names.attributes.empty()) row.attributes = names.attributes[at];
    if (!names.pictures.empty()) row.picture = names.pictures[at];
    row.embedding = embeddings[i];
    samples.push_back(std::move(row));
  }
  std::vector<journal::CategoryRow> born;
  for (CategoryId id = first_new; id < method->categories().next(); ++id) {
    const std::uint64_t sequence = method->categories()[id].birth;
    const std::uint64_t first = decisions.empty() ? 0 : decisions.front().sequence;
    born.push_back(
        session::category_row(*method, id, events + (sequence - std::min(sequence, first))));
  }
  std::optional<journal::SourceRow> read_to = source;
  if (read_to) {
    read_to->consumed =
        source_row + 1 + (rows.empty() ? decisions.size() - 1 : rows[decisions.size() - 1]);
    for (std::size_t i = 0; i < decisions.size(); ++i)
      read_to->digest = journal::source_digest(read_to->digest, embeddings[i]);
  }
  PACO_TRY(journal->append(samples, born, read_to ? &*read_to : nullptr,
                           static_cast<std::int64_t>(session::time_of_day())));
  source = std::move(read_to);
  events += decisions.size();
  const journal::Retention& retention = journal->settings().retention;
  if (retention.snapshot_samples > 0 &&
      method->samples() - snapshot_at >= retention.snapshot_samples) {
    // An error of the snapshot is ignored: the group is stored, and a snapshot only saves replay
    // time. The next group tries again; a disk error then shows in the group itself.
    static_cast<void>(snapshot());
  }
  return {};
}

Result<void> Session::Impl::snapshot() {
  PACO_ASSIGN(const std::vector<std::byte> bytes, method->save());
  PACO_ASSIGN(std::string digest, method->digest());
  PACO_TRY(journal->save_snapshot(events, method->samples(), std::move(digest), bytes));
  snapshot_at = method->samples();
  return journal->prune_snapshots(
      static_cast<std::size_t>(journal->settings().retention.snapshots));
}

Result<std::vector<OperationOutcome>> Session::Impl::history() {
  if (!journal) return operations;
  std::vector<OperationOutcome> out;
  std::uint64_t from = 0;
  while (true) {
    PACO_ASSIGN(const std::vector<journal::OperationRow> page, journal->operations(from, 1024));
    if (page.empty()) return out;
    for (const journal::OperationRow& row : page) {
      PACO_ASSIGN(OperationOutcome outcome, session::outcome_of(row));
      out.push_back(std::move(outcome));
    }
    from = page.back().event + 1;
  }
}

Result<OperationOutcome> Session::Impl::carry_out(session::Plan plan, MemberSource* members) {
  plan.event = events;
  plan.time = session::time_of_day();
  std::shared_ptr<const VerifiedSamples> marks = session::with_edits(verified, plan.edits);
  if (!journal) operations.reserve(operations.size() + 1);
  PACO_TRY(method->editor().apply(plan.edits, members));
  if (!journal) {
    ++events;
    kept.edited(plan.edits);
    verified = std::move(marks);
    operations.push_back(plan);
    return plan;
  }
  ahead = true;  // until the journal has stored it
  std::set<CategoryId> changed;
  std::vector<journal::Membership> moved;
  for (const Edit& e : plan.edits) {
    switch (e.cell) {
      case Edit::Cell::category:
      case Edit::Cell::name:
      case Edit::Cell::forward:
      case Edit::Cell::retired:
        changed.insert(e.id);
        break;
      case Edit::Cell::owner:
        if (e.from != kNoId) changed.insert(e.from);
        if (e.to != kNoId) changed.insert(e.to);
        break;
      case Edit::Cell::reference:
        changed.insert(method->editor().role(e.id).owner);
        break;
      case Edit::Cell::member:
        moved.push_back({static_cast<std::uint64_t>(e.id), e.to, e.to_counted});
        break;
      case Edit::Cell::prototype:
      case Edit::Cell::verified:
        break;
    }
  }
  // Merged categories forward to the final category directly, without steps between.
  for (CategoryId id = 0; id < method->categories().next(); ++id) {
    const CategoryId forward = method->categories()[id].forward;
    if (forward != kNoId && changed.contains(forward)) changed.insert(id);
  }
  PACO_ASSIGN(const std::vector<journal::CategoryRow> before, journal->categories());
  std::vector<journal::CategoryRow> rows;
  for (const CategoryId id : changed) {
    const auto at = static_cast<std::size_t>(id);
    rows.push_back(
        session::category_row(*method, id, at < before.size() ? before[at].born : plan.event));
  }
  PACO_TRY(journal->append(session::operation_row(plan), rows, moved));
  verified = std::move(marks);
  ahead = false;
  ++events;
  return plan;
}

Result<CategoryId> Session::Impl::shown(std::uint64_t sequence) {
  PrototypeId prototype = kNoId;
  if (journal) {
    PACO_TRY(journal->flush());
    PACO_ASSIGN(prototype, session::PresentMembers(*journal, *method, *verified).shown(sequence));
  } else {
    PACO_ASSIGN(prototype, session::KeptMembers(kept, *method, *verified).shown(sequence));
  }
  return method->editor().role(prototype).owner;
}

Result<OperationOutcome> Session::Impl::apply(const Operation& operation) {
  PACO_TRY(recover());
  std::optional<session::PresentMembers> present;
  session::KeptMembers recent(kept, *method, *verified);
  MemberSource* members = kept.most() > 0 ? &recent : nullptr;
  if (journal) {
    PACO_TRY(journal->flush());
    members = &present.emplace(*journal, *method, *verified);
  }
  if (operation.kind == OperationKind::undo) {
    PACO_ASSIGN(const std::vector<OperationOutcome> past, history());
    PACO_ASSIGN(session::Plan plan, session::plan_undo(operation, *method, past, members));
    return carry_out(std::move(plan), members);
  }
  PACO_ASSIGN(session::Plan plan, session::plan_operation(operation, *method, members));
  return carry_out(std::move(plan), members);
}

Result<Decided> Session::Impl::decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                      const SampleNames& names) {
  PACO_TRY(recover());
  if (decisions.size() != embeddings.rows ||
      (!names.keys.empty() && names.keys.size() != embeddings.rows) ||
      (!names.ids.empty() && names.ids.size() != embeddings.rows) ||
      (!names.attributes.empty() && names.attributes.size() != embeddings.rows) ||
      (!names.pictures.empty() && names.pictures.size() != embeddings.rows)) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{} embeddings with {} places for decisions, {} keys and {} ids",
                    embeddings.rows, decisions.size(), names.keys.size(), names.ids.size()),
        "give one of each for every row, or none"};
  }
  Decided out;
  // `fresh`: rows to decide. `copies`: rows with a key of an earlier row in this call, and that
  // row.
  std::vector<std::size_t> fresh;
  std::vector<std::pair<std::size_t, std::size_t>> copies;
  if (!names.keys.empty()) {
    std::unordered_map<std::string_view, std::size_t> here;
    for (std::size_t i = 0; i < embeddings.rows; ++i) {
      const std::string& key = names.keys[i];
      if (!key.empty()) {
        const auto [earlier, first] = here.emplace(key, i);
        if (!first) {
          if (names.same_content &&
              !session::same_content(embeddings[earlier->second], embeddings[i])) {
            return session::conflict_of(i, key);
          }
          copies.emplace_back(i, earlier->second);
          continue;
        }
        PACO_ASSIGN(const std::optional<Decision> seen, find_key(key));
        if (seen) {
          if (names.same_content) {
            PACO_ASSIGN(const bool same, has_content(seen->sequence, embeddings[i]));
            if (!same) return session::conflict_of(i, key);
          }
          decisions[i] = *seen;
          ++out.repeated;
          continue;
        }
      }
      fresh.push_back(i);
    }
  }
  Rows<const double> rows = embeddings;
  if (!names.keys.empty() && fresh.size() < embeddings.rows) {
    gathered.clear();
    for (const std::size_t i : fresh)
      gathered.insert(gathered.end(), embeddings[i].begin(), embeddings[i].end());
    rows = {gathered.data(), fresh.size(), embeddings.columns};
  }
  const bool direct = rows.data == embeddings.data;
  const CategoryId first_new = method->categories().next();
  decided.resize(rows.rows);
  std::size_t bad = rows.rows;
  const Result<void> all = method->decide_block(rows, decided);
  if (!all.ok()) {
    for (bad = 0; bad < rows.rows; ++bad) {
      out.refused = method->check(rows[bad]);
      if (out.refused) break;
    }
    if (!out.refused) return all.error();
    decided.resize(bad);
    rows = rows.slice(0, bad);
    PACO_TRY(method->decide_block(rows, decided));
  }
  if (journal && !decided.empty()) {
    const Result<void> kept = write(decided, rows, fresh, names, first_new);
    if (!kept.ok()) {
      ahead = true;
      return kept.error();
    }
  } else if (!journal) {
    events += decided.size();
    kept.add(decided, rows);
  }
  for (std::size_t i = 0; i < decided.size(); ++i) {
    const std::size_t at = direct && fresh.empty() ? i : fresh[i];
    decisions[at] = decided[i];
    if (!journal && !names.keys.empty() && !names.keys[at].empty())
      by_key.emplace(names.keys[at], decided[i]);
  }
  // Rows before the refused one count, including repeated ones.
  const std::size_t stop = !out.refused ? embeddings.rows : fresh.empty() ? bad : fresh[bad];
  for (const auto& [row, earlier] : copies) {
    if (row >= stop) continue;
    decisions[row] = decisions[earlier];
    ++out.repeated;
  }
  out.rows = stop;
  return out;
}

}  // namespace paco
