#include "session/fold.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "math/matrix.hpp"
#include "session/journal_rows.hpp"

namespace paco::session {
namespace {

constexpr std::size_t kFoldPage = 4096;

Error not_kept(const journal::Journal& journal, std::uint64_t sequence) {
  return {
      ErrorCode::not_found,
      fmt::format("{}: the embedding of sample {} is not kept any more", journal.path(), sequence),
      "a journal begun with --keep-embeddings all keeps every one"};
}

Result<std::vector<double>> embedding_of(journal::Journal& journal, std::uint64_t sequence) {
  PACO_ASSIGN(std::optional<std::vector<double>> found, journal.embedding(sequence));
  if (!found) return not_kept(journal, sequence);
  return std::move(*found);
}

}  // namespace

void PastMembers::moved(std::span<const Edit> edits) {
  for (const Edit& e : edits) {
    if (e.cell == Edit::Cell::member)
      moved_[static_cast<std::uint64_t>(e.id)] = {e.to, e.to_counted};
  }
}

Result<void> PastMembers::read_up_to(std::uint64_t samples) {
  while (decided_.size() < samples) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(kFoldPage, samples - decided_.size()));
    PACO_ASSIGN(const std::vector<io::DecidedSample> page,
                journal_.samples(decided_.size(), wanted));
    if (page.empty()) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: sample {} is missing", journal_.path(), decided_.size()),
                   "verify the journal"};
    }
    for (const io::DecidedSample& sample : page)
      decided_.push_back({sample.prototype, sample.counted});
  }
  return {};
}

Result<std::vector<MemberSource::Member>> PastMembers::members(PrototypeId prototype) {
  PACO_TRY(read_up_to(samples_));
  std::vector<Member> out;
  for (std::uint64_t s = 0; s < samples_; ++s) {
    const auto moved = moved_.find(s);
    const Place& place = moved == moved_.end() ? decided_[s] : moved->second;
    if (place.prototype == prototype) out.push_back({s, place.counted});
  }
  return out;
}

Result<std::pair<PrototypeId, bool>> PastMembers::membership(std::uint64_t sequence) {
  PACO_TRY(read_up_to(samples_));
  const auto moved = moved_.find(sequence);
  const Place& place =
      moved == moved_.end() ? decided_.at(static_cast<std::size_t>(sequence)) : moved->second;
  return std::pair{place.prototype, place.counted};
}

Result<std::vector<double>> PastMembers::embedding(std::uint64_t sequence) {
  return embedding_of(journal_, sequence);
}

Result<std::vector<MemberSource::Member>> PresentMembers::members(PrototypeId prototype) {
  // Read the whole stream: a moved sample may be older than the prototype that it joined.
  const std::int64_t wanted[] = {prototype};
  PACO_ASSIGN(const std::vector<journal::Membership> found, journal_.members(wanted, 0));
  std::vector<Member> out;
  for (const journal::Membership& member : found) out.push_back({member.sequence, member.counted});
  return out;
}

Result<journal::Membership> PresentMembers::recorded(std::uint64_t sequence) {
  PACO_ASSIGN(const std::optional<journal::Membership> found, journal_.membership(sequence));
  if (found) return *found;
  return Error{ErrorCode::not_found, fmt::format("there is no sample {}", sequence),
               fmt::format("there are {}", method_.samples())};
}

Result<std::pair<PrototypeId, bool>> PresentMembers::membership(std::uint64_t sequence) {
  PACO_ASSIGN(const journal::Membership found, recorded(sequence));
  return method_.editor().place(sequence, found.prototype, found.counted);
}

Result<PrototypeId> PresentMembers::shown(std::uint64_t sequence) {
  PACO_ASSIGN(const journal::Membership found, recorded(sequence));
  return found.prototype;
}

Result<std::vector<double>> PresentMembers::embedding(std::uint64_t sequence) {
  return embedding_of(journal_, sequence);
}

namespace {

class Folder {
 public:
  Folder(journal::Journal& journal, Method& method, const FoldOptions& options)
      : journal_(journal),
        method_(method),
        options_(options),
        d_(journal.settings().dimension),
        evidence_(journal.settings().evidence.size()),
        members_(journal) {}

  Result<FoldOutcome> run(std::uint64_t event) {
    PACO_ASSIGN(const journal::JournalTail tail, journal_.tail());
    const std::uint64_t end = std::min(options_.until, tail.events);
    PACO_TRY(remember_moves(event));
    out_.events = event;
    while (out_.events < end && !done_) {
      if (options_.stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      PACO_ASSIGN(const std::vector<journal::StoredEvent> page,
                  journal_.events(out_.events, kFoldPage));
      if (page.empty()) break;
      PACO_TRY(fold_page(page, end));
      if (options_.progress != nullptr) options_.progress->update(out_.events);
    }
    return out_;
  }

 private:
  // Loads the moves of operations before the start, so that members are as they were then.
  Result<void> remember_moves(std::uint64_t event) {
    for (std::uint64_t from = 0; from < event;) {
      PACO_ASSIGN(const std::vector<journal::OperationRow> page,
                  journal_.operations(from, kFoldPage));
      if (page.empty()) break;
      for (const journal::OperationRow& row : page) {
        from = row.event + 1;
        if (row.event >= event) break;
        PACO_ASSIGN(const OperationOutcome outcome, outcome_of(row));
        members_.moved(outcome.edits);
      }
    }
    return {};
  }

  Result<void> fold_page(const std::vector<journal::StoredEvent>& page, std::uint64_t end) {
    for (std::size_t i = 0; i < page.size() && out_.events < end && !done_;) {
      if (const auto* row = std::get_if<journal::OperationRow>(&page[i])) {
        PACO_TRY(fold_operation(*row));
        ++i;
        continue;
      }
      std::size_t count = 0;
      while (i + count < page.size() && count < options_.block && out_.events + count < end &&
             std::holds_alternative<io::DecidedSample>(page[i + count])) {
        ++count;
      }
      PACO_TRY(fold_samples(page, i, count));
      i += count;
    }
    return {};
  }

  Result<void> fold_samples(const std::vector<journal::StoredEvent>& page, std::size_t first,
                            std::size_t count) {
    const auto& head = std::get<io::DecidedSample>(page[first]);
    rows_.resize(count * d_);
    PACO_ASSIGN(const bool kept, journal_.embeddings(head.sequence, rows_));
    if (!kept) return not_kept(journal_, head.sequence);
    decisions_.resize(count);
    PACO_TRY(method_.decide_block({rows_.data(), count, d_}, decisions_));
    for (std::size_t i = 0; i < count; ++i) {
      const auto& recorded = std::get<io::DecidedSample>(page[first + i]);
      const bool equal = options_.foreign ? decisions_[i].category == recorded.category
                                          : same_answer(decisions_[i], recorded, evidence_);
      if (options_.each) options_.each(decisions_[i], recorded);
      if (equal) continue;
      if (!out_.first_difference) out_.first_difference = recorded.sequence;
      ++out_.differences;
      done_ = options_.stop_at_difference;
    }
    out_.samples += count;
    out_.events += count;
    return {};
  }

  Result<void> fold_operation(const journal::OperationRow& row) {
    ++out_.events;
    ++out_.operations;
    if (options_.foreign) return {};
    PACO_ASSIGN(const OperationOutcome outcome, outcome_of(row));
    members_.reached(row.sequence);
    PACO_TRY(method_.editor().apply(outcome.edits, &members_));
    members_.moved(outcome.edits);
    return {};
  }

  journal::Journal& journal_;
  Method& method_;
  const FoldOptions& options_;
  std::size_t d_, evidence_;
  PastMembers members_;
  FoldOutcome out_;
  bool done_ = false;
  std::vector<double> rows_;
  std::vector<Decision> decisions_;
};

}  // namespace

Result<FoldOutcome> fold(journal::Journal& journal, Method& method, std::uint64_t event,
                         const FoldOptions& options) {
  return Folder(journal, method, options).run(event);
}

Result<std::unique_ptr<Method>> method_of_journal(journal::Journal& journal, int threads) {
  PACO_ASSIGN(std::vector<std::byte> bytes, journal.model());
  PACO_ASSIGN(Model model, model_from_bytes(std::move(bytes), journal.path() + " (its model)"));
  MethodOptions options;
  options.threads = threads;
  PACO_ASSIGN(options.settings, settings_of(journal.settings(), journal.path()));
  return make_method(journal.settings().method, std::make_shared<const Model>(std::move(model)),
                     options);
}

}  // namespace paco::session
