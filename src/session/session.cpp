#include "paco/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/try.hpp"
#include "session/fold.hpp"
#include "session/journal_rows.hpp"
#include "session/session_parts.hpp"

namespace paco {

namespace {

double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

Durability durability_of(JournalOptions::Durability durability) {
  Durability out;
  out.full = durability == JournalOptions::Durability::full;
  return out;
}

Error without_journal(const char* what) {
  return {ErrorCode::unsupported, fmt::format("{} needs a journal", what),
          "keep the stream in one: 'paco discover --journal'"};
}

}  // namespace

// From the newest snapshot and the events after it to the present state.
Result<void> Session::Parts::catch_up(std::stop_token stop) {
  PACO_ASSIGN(const JournalTail tail, journal->tail());
  PACO_ASSIGN(method, method_of_journal(*journal, threads));
  PACO_ASSIGN(std::optional<Snapshot> snapshot, journal->newest_snapshot(tail.events));
  std::uint64_t from = 0;
  if (snapshot) {
    from = snapshot->event;
    snapshot_at = snapshot->sequence;
    PACO_TRY(method->restore(std::move(snapshot->bytes),
                             fmt::format("{} (snapshot at event {})", journal->path(), from)));
  }
  FoldOptions options;
  options.stop = std::move(stop);
  PACO_ASSIGN(const FoldOutcome outcome, fold(*journal, *method, from, options));
  if (outcome.first_difference) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: sample {} is decided otherwise than recorded", journal->path(),
                             *outcome.first_difference),
                 "'paco journal verify' and 'paco replay' tell more; nothing was changed"};
  }
  events = tail.events;
  ahead = false;
  return {};
}

// Before anything is changed.
Result<void> Session::Parts::rebuild_if_ahead() {
  if (read_only) {
    return Error{ErrorCode::bad_argument, fmt::format("{}: opened to look at it", journal->path()),
                 "open it to write"};
  }
  if (!ahead) return {};
  return catch_up({});
}

Result<std::optional<Decision>> Session::Parts::find_key(const std::string& key) {
  if (!journal) {
    const auto found = by_key.find(key);
    return found == by_key.end() ? std::nullopt : std::optional(found->second);
  }
  PACO_ASSIGN(const std::optional<StoredSample> found, journal->find_key(key));
  return found ? std::optional(decision_of(*found)) : std::nullopt;
}

// One group: samples and the categories that they opened.
Result<void> Session::Parts::write(std::span<const Decision> decisions,
                                   Rows<const double> embeddings, std::span<const std::size_t> rows,
                                   const SampleNames& names, CategoryId first_new) {
  const std::size_t evidence = method->info().evidence.size();
  std::vector<SampleRow> samples;
  samples.reserve(decisions.size());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    SampleRow row = sample_row(decisions[i], events + i, evidence);
    const std::size_t at = rows.empty() ? i : rows[i];
    if (!names.keys.empty() && !names.keys[at].empty()) row.key = names.keys[at];
    if (!names.ids.empty()) row.sample = names.ids[at];
    row.embedding = embeddings[i];
    samples.push_back(row);
  }
  std::vector<CategoryRow> born;
  for (CategoryId id = first_new; id < method->categories().next(); ++id) {
    const std::uint64_t sequence = method->categories()[id].birth;
    const std::uint64_t first = decisions.empty() ? 0 : decisions.front().sequence;
    born.push_back(category_row(*method, id, events + (sequence - std::min(sequence, first))));
  }
  PACO_TRY(journal->append(samples, born));
  events += decisions.size();
  const Retention& retention = journal->settings().retention;
  if (retention.snapshot_samples > 0 &&
      method->samples() - snapshot_at >= retention.snapshot_samples) {
    PACO_TRY(snapshot());
  }
  return {};
}

Result<void> Session::Parts::snapshot() {
  PACO_ASSIGN(const std::vector<std::byte> bytes, method->save());
  PACO_ASSIGN(std::string digest, method->digest());
  PACO_TRY(journal->save_snapshot(events, method->samples(), std::move(digest), bytes));
  snapshot_at = method->samples();
  return journal->prune_snapshots(
      static_cast<std::size_t>(journal->settings().retention.snapshots));
}

Result<std::vector<OperationOutcome>> Session::Parts::history() {
  if (!journal) return operations;
  std::vector<OperationOutcome> out;
  std::uint64_t from = 0;
  while (true) {
    PACO_ASSIGN(const std::vector<OperationRow> page, journal->operations(from, 1024));
    if (page.empty()) return out;
    for (const OperationRow& row : page) {
      PACO_ASSIGN(OperationOutcome outcome, outcome_of(row));
      out.push_back(std::move(outcome));
    }
    from = page.back().event + 1;
  }
}

Result<OperationOutcome> Session::Parts::carry_out(Plan plan, MemberSource* members) {
  plan.event = events;
  plan.time = now();
  PACO_TRY(method->editor().apply(plan.edits, members));
  if (!journal) {
    ++events;
    operations.push_back(plan);
    return plan;
  }
  std::set<CategoryId> changed;
  std::vector<Membership> moved;
  for (const Edit& e : plan.edits) {
    switch (e.cell) {
      case Edit::Cell::category:
      case Edit::Cell::name:
      case Edit::Cell::forward:
      case Edit::Cell::retired:
        changed.insert(e.id);
        break;
      case Edit::Cell::owner:
        if (e.from != kNobody) changed.insert(e.from);
        if (e.to != kNobody) changed.insert(e.to);
        break;
      case Edit::Cell::reference:
        changed.insert(method->editor().role(e.id).owner);
        break;
      case Edit::Cell::member:
        moved.push_back({static_cast<std::uint64_t>(e.id), e.to, e.to_counted});
        break;
      case Edit::Cell::prototype:
        break;
    }
  }
  // Merged categories lead to where they lead now, whoever stands between.
  for (CategoryId id = 0; id < method->categories().next(); ++id) {
    const CategoryId forward = method->categories()[id].forward;
    if (forward != kNobody && changed.contains(forward)) changed.insert(id);
  }
  PACO_ASSIGN(const std::vector<CategoryRow> before, journal->categories());
  std::vector<CategoryRow> rows;
  for (const CategoryId id : changed) {
    const auto at = static_cast<std::size_t>(id);
    rows.push_back(category_row(*method, id, at < before.size() ? before[at].born : plan.event));
  }
  const Result<void> kept = journal->append(operation_row(plan), rows, moved);
  if (!kept.ok()) {
    ahead = true;
    return kept.error();
  }
  ++events;
  return plan;
}

Result<OperationOutcome> Session::Parts::apply(const Operation& operation) {
  PACO_TRY(rebuild_if_ahead());
  std::optional<PresentMembers> present;
  if (journal) {
    PACO_TRY(journal->flush());
    present.emplace(*journal, *method);
  }
  MemberSource* members = present ? &*present : nullptr;
  if (operation.kind == OperationKind::undo) {
    PACO_ASSIGN(const std::vector<OperationOutcome> past, history());
    PACO_ASSIGN(Plan plan, plan_undo(operation, *method, past));
    return carry_out(std::move(plan), members);
  }
  PACO_ASSIGN(Plan plan, plan_operation(operation, *method, members));
  return carry_out(std::move(plan), members);
}

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::start(std::shared_ptr<const Model> model, std::string_view method,
                               const MethodOptions& options) {
  auto parts = std::make_unique<Parts>();
  PACO_ASSIGN(parts->method, make_method(method, std::move(model), options));
  parts->threads = options.threads;
  return Session(std::move(parts));
}

Result<Session> Session::create(const std::string& path, std::shared_ptr<const Model> model,
                                std::string_view method, const MethodOptions& options,
                                const JournalOptions& journal) {
  PACO_ASSIGN(Session session, start(std::move(model), method, options));
  Parts& parts = *session.parts_;
  PACO_ASSIGN(const std::vector<std::byte> bytes, model_to_bytes(parts.method->model()));
  PACO_ASSIGN(Journal made, Journal::create(path, journal_settings(*parts.method, journal), bytes,
                                            durability_of(journal.durability)));
  parts.journal.emplace(std::move(made));
  std::vector<CategoryRow> known;
  for (CategoryId id = 0; id < parts.method->categories().next(); ++id)
    known.push_back(category_row(*parts.method, id, 0));
  PACO_TRY(parts.journal->append(std::span<const SampleRow>(), known));
  return session;
}

Result<Session> Session::open(const std::string& path, int threads,
                              JournalOptions::Durability durability, std::stop_token stop) {
  auto parts = std::make_unique<Parts>();
  parts->threads = threads;
  PACO_ASSIGN(Journal journal, Journal::open(path, OpenMode::write, durability_of(durability)));
  parts->journal.emplace(std::move(journal));
  PACO_TRY(parts->catch_up(std::move(stop)));
  return Session(std::move(parts));
}

Result<Session> Session::look(const std::string& path, int threads, std::stop_token stop) {
  auto parts = std::make_unique<Parts>();
  parts->threads = threads;
  parts->read_only = true;
  PACO_ASSIGN(Journal journal, Journal::open(path, OpenMode::read, {}));
  parts->journal.emplace(std::move(journal));
  PACO_TRY(parts->catch_up(std::move(stop)));
  return Session(std::move(parts));
}

Result<Decided> Session::decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                const SampleNames& names) {
  Parts& p = *parts_;
  PACO_TRY(p.rebuild_if_ahead());
  if (decisions.size() != embeddings.rows ||
      (!names.keys.empty() && names.keys.size() != embeddings.rows) ||
      (!names.ids.empty() && names.ids.size() != embeddings.rows)) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{} embeddings with {} places for decisions, {} keys and {} ids",
                    embeddings.rows, decisions.size(), names.keys.size(), names.ids.size()),
        "give one of each for every row, or none"};
  }
  Decided out;
  // Rows to decide, and for rows whose key was seen the answer or the row that gives it.
  std::vector<std::size_t> fresh;
  std::vector<std::pair<std::size_t, std::size_t>> copies;
  if (!names.keys.empty()) {
    std::unordered_map<std::string_view, std::size_t> here;
    for (std::size_t i = 0; i < embeddings.rows; ++i) {
      const std::string& key = names.keys[i];
      if (!key.empty()) {
        const auto [earlier, first] = here.emplace(key, i);
        if (!first) {
          copies.emplace_back(i, earlier->second);
          continue;
        }
        PACO_ASSIGN(const std::optional<Decision> seen, p.find_key(key));
        if (seen) {
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
    p.gathered.clear();
    for (const std::size_t i : fresh)
      p.gathered.insert(p.gathered.end(), embeddings[i].begin(), embeddings[i].end());
    rows = {p.gathered.data(), fresh.size(), embeddings.columns};
  }
  const bool direct = rows.data == embeddings.data;
  const CategoryId first_new = p.method->categories().next();
  p.decided.resize(rows.rows);
  std::size_t bad = rows.rows;
  const Result<void> all = p.method->decide_block(rows, p.decided);
  if (!all.ok()) {
    for (bad = 0; bad < rows.rows; ++bad) {
      out.refused = p.method->check(rows[bad]);
      if (out.refused) break;
    }
    if (!out.refused) return all.error();
    p.decided.resize(bad);
    rows = rows.slice(0, bad);
    PACO_TRY(p.method->decide_block(rows, p.decided));
  }
  if (p.journal && !p.decided.empty()) {
    const Result<void> kept = p.write(p.decided, rows, fresh, names, first_new);
    if (!kept.ok()) {
      p.ahead = true;
      return kept.error();
    }
  } else if (!p.journal) {
    p.events += p.decided.size();
  }
  for (std::size_t i = 0; i < p.decided.size(); ++i) {
    const std::size_t at = direct && fresh.empty() ? i : fresh[i];
    decisions[at] = p.decided[i];
    if (!p.journal && !names.keys.empty() && !names.keys[at].empty())
      p.by_key.emplace(names.keys[at], p.decided[i]);
  }
  // The rows before the refused one, repeated ones among them.
  const std::size_t stop = !out.refused ? embeddings.rows : fresh.empty() ? bad : fresh[bad];
  for (const auto& [row, earlier] : copies) {
    if (row >= stop) continue;
    decisions[row] = decisions[earlier];
    ++out.repeated;
  }
  out.rows = stop;
  return out;
}

Result<OperationOutcome> Session::apply(const Operation& operation) {
  return parts_->apply(operation);
}

Result<OperationOutcome> Session::undo(std::uint64_t event, const std::string& actor) {
  Operation operation;
  operation.kind = OperationKind::undo;
  operation.event = event;
  operation.actor = actor;
  return parts_->apply(operation);
}

Result<std::vector<OperationOutcome>> Session::history() { return parts_->history(); }

const Method& Session::method() const { return *parts_->method; }
const Model& Session::model() const { return parts_->method->model(); }
std::uint64_t Session::samples() const { return parts_->method->samples(); }
std::uint64_t Session::events() const { return parts_->events; }
std::shared_ptr<const MemoryView> Session::view() { return parts_->method->view(); }
Result<std::string> Session::digest() const { return parts_->method->digest(); }

Result<std::vector<std::byte>> Session::save(const std::string& note) const {
  return parts_->method->save(note);
}

Result<void> Session::restore(const std::string& path) {
  if (parts_->journal) {
    return Error{ErrorCode::bad_argument, "a session with a journal starts from its journal",
                 "leave the state out, or the journal"};
  }
  PACO_TRY(parts_->method->restore(path));
  parts_->events = parts_->method->samples();
  return {};
}

Session::Parts& Session::parts() { return *parts_; }

bool Session::has_journal() const { return parts_->journal.has_value(); }

const std::string& Session::path() const {
  static const std::string kNone;
  return parts_->journal ? parts_->journal->path() : kNone;
}

Result<std::optional<Decision>> Session::decision(std::uint64_t sequence) {
  if (!parts_->journal) return without_journal("looking up a decision");
  PACO_ASSIGN(const std::optional<StoredSample> found, parts_->journal->sample(sequence));
  return found ? std::optional(decision_of(*found)) : std::nullopt;
}

Result<void> Session::checkpoint() {
  if (!parts_->journal || parts_->read_only) return {};
  PACO_TRY(parts_->rebuild_if_ahead());
  PACO_TRY(parts_->snapshot());
  return parts_->journal->flush();
}

Result<void> Session::close() {
  if (!parts_->journal || parts_->read_only) return {};
  Result<void> done;
  if (!parts_->ahead) done = checkpoint();
  const Result<void> closed = parts_->journal->close();
  parts_->journal.reset();
  return done.ok() ? closed : done;
}

}  // namespace paco
