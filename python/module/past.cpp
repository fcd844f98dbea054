#include "past.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"

namespace paco::python {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPage = 4096;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Error no_sample(std::uint64_t sequence, std::uint64_t samples) {
  return {ErrorCode::not_found, fmt::format("there is no sample {}", sequence),
          fmt::format("the stream has {}", samples)};
}

}  // namespace

Result<void> Past::refresh(Session& session) {
  if (!session.has_journal()) {
    return Error{ErrorCode::unsupported, "a session in memory does not keep its samples",
                 "keep the stream in a journal: Session.create(path, model)"};
  }
  if (!journal_) {
    PACO_ASSIGN(journal_, journal::JournalReader::open(session.path()));
  }
  while (samples_ < session.samples()) {
    PACO_ASSIGN(const std::vector<io::DecidedSample> page, journal_->samples(samples_, kPage));
    if (page.empty()) break;
    for (const io::DecidedSample& sample : page)
      members_.add(sample.sequence, sample.prototype);
    samples_ += page.size();
  }
  PACO_ASSIGN(const std::vector<OperationOutcome> operations, session.history());
  for (; operations_ < operations.size(); ++operations_)
    members_.apply(operations[operations_].edits);
  return {};
}

Result<std::vector<std::uint64_t>> Past::members(Session& session, CategoryId category) {
  PACO_TRY(refresh(session));
  const auto view = session.view();
  if (!view->categories.has(category)) {
    return Error{ErrorCode::not_found, fmt::format("there is no category {}", category),
                 fmt::format("ids given so far end before {}", view->categories.next())};
  }
  const auto& prototypes = view->categories[category].prototypes;
  return members_.page(prototypes, 0, members_.count(prototypes), false);
}

Result<std::string> Past::samples(Session& session, const std::vector<std::uint64_t>& sequences) {
  PACO_TRY(refresh(session));
  const auto view = session.view();
  Json list = Json::array();
  for (const std::uint64_t sequence : sequences) {
    PACO_ASSIGN(const auto sample, journal_->sample(sequence));
    if (!sample) return no_sample(sequence, session.samples());
    PACO_ASSIGN(const auto where, journal_->membership(sequence));
    PACO_ASSIGN(const journal::Extras extras, journal_->extras(sequence, false));
    CategoryId now = view->categories.now(sample->category);
    if (where && static_cast<std::size_t>(where->prototype) < view->prototypes.size()) {
      const CategoryId owner = view->prototypes[static_cast<std::size_t>(where->prototype)].owner;
      if (owner != kNoId) now = owner;
    }
    Json attributes = Json::parse(extras.attributes, nullptr, false);
    if (!attributes.is_object()) attributes = Json::object();
    list.push_back({{"sequence", sequence},
                    {"category", sample->category},
                    {"name", view->categories.name(sample->category)},
                    {"verdict", verdict_name(sample->verdict)},
                    {"now", now},
                    {"now_name", view->categories.name(now)},
                    {"key", text_or_null(sample->key)},
                    {"id", text_or_null(sample->sample)},
                    {"score", number_or_null(sample->score)},
                    {"threshold", number_or_null(sample->threshold)},
                    {"runner_up", sample->runner_up},
                    {"verified", view->is_verified(sequence)},
                    {"attributes", std::move(attributes)},
                    {"picture", extras.has_picture}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<insight::Keywords> Past::keywords(Session& session) {
  PACO_TRY(refresh(session));
  return insight::keywords_in(*session.view(), members_, *journal_);
}

Result<std::string> Past::picture(Session& session, std::uint64_t sequence) {
  PACO_TRY(refresh(session));
  if (sequence >= session.samples()) return no_sample(sequence, session.samples());
  PACO_ASSIGN(const journal::Extras extras, journal_->extras(sequence, true));
  return extras.picture;
}

Result<std::vector<double>> Past::embeddings(Session& session,
                                             const std::vector<std::uint64_t>& sequences) {
  PACO_TRY(refresh(session));
  std::vector<double> rows;
  rows.reserve(sequences.size() * session.model().dimension);
  for (const std::uint64_t sequence : sequences) {
    if (sequence >= session.samples()) return no_sample(sequence, session.samples());
    PACO_ASSIGN(const auto row, journal_->embedding(sequence));
    if (!row) {
      return Error{ErrorCode::unsupported,
                   fmt::format("the embedding of sample {} is not kept", sequence),
                   "make the journal with embeddings=None to keep all"};
    }
    rows.insert(rows.end(), row->begin(), row->end());
  }
  return rows;
}

}  // namespace paco::python
