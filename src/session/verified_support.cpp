#include "session/verified_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/try.hpp"
#include "session/session_impl.hpp"

namespace paco::session {
namespace {

constexpr std::size_t kFewestOfClass = 2;  // verified samples needed to make a category a class

// Verified samples, by the present owner of their prototypes.
std::map<CategoryId, std::vector<std::uint64_t>> by_category(const MemoryView& view) {
  std::map<CategoryId, std::vector<std::uint64_t>> out;
  if (view.verified == nullptr) return out;
  for (const auto& [sequence, prototype] : view.verified->all()) {
    const CategoryId owner = view.prototypes[static_cast<std::size_t>(prototype)].owner;
    if (owner != kNoId) out[owner].push_back(sequence);
  }
  return out;
}

}  // namespace

Result<VerifiedSupport> verified_support(Session& session,
                                         const std::vector<std::string>& class_names) {
  if (!session.has_journal()) {
    return Error{ErrorCode::unsupported, "samples are verified in a journal only",
                 "keep the stream in one: 'paco discover --journal'"};
  }
  if (session.model().class_names != class_names) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: its stream has other known classes than the support set", session.path()),
        "give the support set that the stream's model was calibrated on"};
  }
  const auto view = session.view();
  journal::Journal& journal = *Access::impl(session).journal;
  const auto known = static_cast<CategoryId>(class_names.size());
  VerifiedSupport out;
  std::vector<std::vector<double>> rows;
  std::uint64_t not_kept = 0;
  for (const auto& [id, samples] : by_category(*view)) {
    const std::string name = view->categories.name(id);
    std::int64_t label = id;
    if (id >= known) {
      const bool is_named = !view->categories[id].name.empty();
      if (!is_named || samples.size() < kFewestOfClass) {
        out.left_out.push_back(
            fmt::format("{} verified {} of '{}' left out: {}", samples.size(),
                        samples.size() == 1 ? "sample" : "samples", name,
                        is_named ? "a class needs two"
                                 : "it has no name; 'paco category rename' gives it one"));
        continue;
      }
      if (std::find(class_names.begin(), class_names.end(), name) != class_names.end()) {
        return Error{
            ErrorCode::bad_value,
            fmt::format("category {} is called '{}', like a class of the support set", id, name),
            "rename it, or merge it with that class"};
      }
      label = known + static_cast<std::int64_t>(out.new_classes.size());
      out.new_classes.push_back(name);
    }
    for (const std::uint64_t sequence : samples) {
      PACO_ASSIGN(std::optional<std::vector<double>> row, journal.embedding(sequence));
      if (!row) {
        ++not_kept;
        continue;
      }
      rows.push_back(std::move(*row));
      out.labels.push_back(label);
    }
  }
  if (not_kept > 0) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: the embeddings of {} verified samples are not kept any more",
                             session.path(), not_kept),
                 "a journal begun with --keep-embeddings all keeps every one"};
  }
  out.embeddings = math::Matrix<double>(rows.size(), session.model().dimension);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), out.embeddings[i].begin());
  return out;
}

}  // namespace paco::session
