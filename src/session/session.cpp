// See paco/session.hpp: deciding, journaling and summing up meet here.
#include "paco/session.hpp"

#include <fmt/format.h>

#include "core/files.hpp"
#include "core/memory_guard.hpp"
#include "core/try.hpp"
#include "session/journal_rows.hpp"
#include "session/session_impl.hpp"

namespace paco {

namespace {

journal::Durability durability_of(JournalOptions::Durability durability) {
  journal::Durability out;
  out.full = durability == JournalOptions::Durability::full;
  return out;
}

Error without_journal(const char* what) {
  return {ErrorCode::unsupported, fmt::format("{} needs a journal", what),
          "keep the stream in one: 'paco discover --journal'"};
}

}  // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::start(std::shared_ptr<const Model> model, std::string_view method,
                               const MethodOptions& options) {
  return core::guard_memory("start a session", [&]() -> Result<Session> {
    auto impl = std::make_unique<Impl>();
    PACO_ASSIGN(impl->method, make_method(method, std::move(model), options));
    impl->threads = options.threads;
    return Session(std::move(impl));
  });
}

Result<Session> Session::create(const std::string& path, std::shared_ptr<const Model> model,
                                std::string_view method, const MethodOptions& options,
                                const JournalOptions& journal) {
  return core::guard_memory("start a journal", [&]() -> Result<Session> {
    PACO_ASSIGN(Session session, start(std::move(model), method, options));
    Impl& impl = *session.impl_;
    PACO_ASSIGN(const std::vector<std::byte> bytes, model_to_bytes(impl.method->model()));
    std::vector<journal::CategoryRow> known;
    for (CategoryId id = 0; id < impl.method->categories().next(); ++id)
      known.push_back(session::category_row(*impl.method, id, 0));
    std::vector<journal::SupportPicture> pictures;
    for (std::size_t id = 0; id < journal.support_pictures.size(); ++id) {
      for (const std::string& picture : journal.support_pictures[id]) {
        const auto category = static_cast<std::int64_t>(id);
        const bool is_next = !pictures.empty() && pictures.back().category == category;
        pictures.push_back({category, is_next ? pictures.back().position + 1 : 0, picture});
      }
    }
    PACO_ASSIGN(
        journal::Journal made,
        journal::Journal::create(path, session::journal_settings(*impl.method, journal), bytes,
                                 known, durability_of(journal.durability), pictures));
    impl.journal.emplace(std::move(made));
    return session;
  });
}

Result<Session> Session::open_as(const std::string& path, bool to_write, int threads,
                                 JournalOptions::Durability durability, std::stop_token stop) {
  return core::guard_memory("open a journal", [&]() -> Result<Session> {
    auto impl = std::make_unique<Impl>();
    impl->threads = threads;
    impl->read_only = !to_write;
    PACO_ASSIGN(
        journal::Journal journal,
        journal::Journal::open(path, to_write ? journal::OpenMode::write : journal::OpenMode::read,
                               durability_of(durability)));
    impl->journal.emplace(std::move(journal));
    PACO_TRY(impl->catch_up(std::move(stop)));
    return Session(std::move(impl));
  });
}

Result<Session> Session::open(const std::string& path, int threads,
                              JournalOptions::Durability durability, std::stop_token stop) {
  return open_as(path, true, threads, durability, std::move(stop));
}

Result<Session> Session::open_read_only(const std::string& path, int threads,
                                        std::stop_token stop) {
  return open_as(path, false, threads, JournalOptions::Durability::full, std::move(stop));
}

// If memory runs out during a change, the method is left in an undefined state between two.
template <class Change>
auto Session::changing(const char* doing, Change change) -> decltype(change()) {
  auto done = core::guard_memory(doing, change);
  if (!done.ok() && done.error().code == ErrorCode::out_of_memory) impl_->ahead = true;
  return done;
}

Result<Decided> Session::decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                const SampleNames& names) {
  return changing("decide", [&] { return impl_->decide(embeddings, decisions, names); });
}

Result<OperationOutcome> Session::apply(const Operation& operation) {
  return changing("carry out an operation", [&] { return impl_->apply(operation); });
}

Result<OperationOutcome> Session::undo(std::uint64_t event, const std::string& actor) {
  Operation operation;
  operation.kind = OperationKind::undo;
  operation.event = event;
  operation.actor = actor;
  return apply(operation);
}

Result<std::vector<OperationOutcome>> Session::history() {
  return core::guard_memory("read the history", [&] { return impl_->history(); });
}

const Method& Session::method() const { return *impl_->method; }
const Model& Session::model() const { return impl_->method->model(); }
std::uint64_t Session::samples() const { return impl_->method->samples(); }
std::uint64_t Session::events() const { return impl_->events; }
std::shared_ptr<const MemoryView> Session::view() {
  const std::shared_ptr<const MemoryView> view = impl_->method->view();
  if (impl_->verified->all().empty()) return view;
  auto marked = std::make_shared<MemoryView>(*view);
  marked->verified = impl_->verified;
  return marked;
}
Result<std::string> Session::digest() const { return impl_->method->digest(); }

Result<std::vector<std::byte>> Session::save(const std::string& note) const {
  return core::guard_memory("save a state", [&] { return impl_->method->save(note); });
}

Result<void> Session::restore(const std::string& path) {
  PACO_ASSIGN(std::vector<std::byte> bytes, core::read_file(path));
  return restore(std::move(bytes), path);
}

Result<void> Session::restore(std::vector<std::byte> bytes, const std::string& name) {
  if (impl_->journal) {
    return Error{ErrorCode::bad_argument, "a session with a journal starts from its journal",
                 "leave the state out, or the journal"};
  }
  PACO_TRY(
      changing("read a state", [&] { return impl_->method->restore(std::move(bytes), name); }));
  impl_->events = impl_->method->samples();
  return {};
}

Result<void> Session::keep(std::uint64_t samples) {
  if (impl_->journal) {
    return Error{ErrorCode::bad_argument, "a journal keeps the samples that it was made to keep",
                 "say how many where it is made"};
  }
  impl_->kept.keep(samples);
  return {};
}

bool Session::has_journal() const { return impl_->journal.has_value(); }

const std::string& Session::path() const {
  static const std::string kNone;
  return impl_->journal ? impl_->journal->path() : kNone;
}

Result<std::optional<Decision>> Session::decision(std::uint64_t sequence) {
  if (!impl_->journal) return without_journal("looking up a decision");
  PACO_ASSIGN(const std::optional<io::DecidedSample> found, impl_->journal->sample(sequence));
  return found ? std::optional<Decision>(*found) : std::nullopt;
}

Result<std::optional<Decision>> Session::find(const std::string& key) {
  return core::guard_memory("look up a key", [&] { return impl_->find_key(key); });
}

Result<CategoryId> Session::shown(std::uint64_t sequence) {
  return core::guard_memory("look up a sample", [&] { return impl_->shown(sequence); });
}

Result<std::optional<std::uint64_t>> Session::event_of(std::uint64_t sequence) {
  if (!impl_->journal) return without_journal("looking up an event");
  PACO_ASSIGN(const std::optional<io::DecidedSample> found, impl_->journal->sample(sequence));
  return found ? std::optional(found->event) : std::nullopt;
}

Result<void> Session::recover() {
  return core::guard_memory("recover a session", [&] { return impl_->recover(); });
}

Result<void> Session::checkpoint() {
  if (!impl_->journal || impl_->read_only) return {};
  return core::guard_memory("save a snapshot", [&]() -> Result<void> {
    PACO_TRY(impl_->recover());
    PACO_TRY(impl_->snapshot());
    return impl_->journal->flush();
  });
}

Result<void> Session::close() {
  if (!impl_->journal || impl_->read_only) return {};
  Result<void> done;
  if (!impl_->ahead) done = checkpoint();
  const Result<void> closed = impl_->journal->close();
  impl_->journal.reset();
  return done.ok() ? closed : done;
}

}  // namespace paco
