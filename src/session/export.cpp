#include "session/export.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/decision_file.hpp"
#include "io/npy.hpp"
#include "session/fold.hpp"
#include "session/journal_rows.hpp"
#include "session/session_impl.hpp"
#include "session/verified.hpp"

namespace paco::session {
namespace {

constexpr std::size_t kPage = 4096;

using Rows = std::vector<journal::CategoryRow>;

std::string name_of(const Rows& categories, std::int64_t id) {
  const auto at = static_cast<std::size_t>(id);
  return at < categories.size() ? categories[at].name : fmt::format("category {}", id);
}

// Writes all samples of a journal and returns their number. `further` adds columns to a sample.
using Further = std::function<Result<std::string>(const io::DecidedSample&)>;
Result<std::uint64_t> write_samples(journal::Journal& journal, const Rows& categories,
                                    io::DecisionWriter& writer, const Further& further) {
  std::vector<std::string> columns;
  for (std::uint64_t next = 0;;) {
    PACO_ASSIGN(std::vector<io::DecidedSample> page, journal.samples(next, kPage));
    if (page.empty()) return next;
    columns.clear();
    for (io::DecidedSample& sample : page) {
      sample.sample = io::shown_name(sample);
      sample.name = name_of(categories, sample.category);
      if (!further) continue;
      PACO_ASSIGN(std::string text, further(sample));
      columns.push_back(std::move(text));
    }
    PACO_TRY(writer.write(page, columns));
    next += page.size();
  }
}

Result<std::uint64_t> write_file(journal::Journal& journal, const Rows& categories,
                                 const MethodInfo& method, const std::string& path,
                                 const char* columns, const Further& further) {
  PACO_ASSIGN(const auto writer, io::make_decision_writer(path, method, std::nullopt, columns));
  Result<std::uint64_t> samples = write_samples(journal, categories, *writer, further);
  if (!samples.ok()) {
    writer->discard();
    return samples;
  }
  PACO_TRY(writer->finish());
  return samples;
}

// The present owner of each prototype, indexed by prototype.
std::vector<std::int64_t> owners_of(const std::vector<journal::CategoryRow>& categories) {
  std::vector<std::int64_t> owners;
  for (const journal::CategoryRow& row : categories) {
    for (const std::int64_t prototype : row.prototypes) {
      const auto at = static_cast<std::size_t>(prototype);
      if (at >= owners.size()) owners.resize(at + 1, kNoId);
      owners[at] = row.id;
    }
  }
  return owners;
}

// Writes the decisions with later corrections: the category and name of each sample now, whether a
// person confirmed it, and its key and attributes.
Result<std::uint64_t> write_corrected(journal::Journal& journal, const MethodInfo& method,
                                      const Rows& categories, const std::string& path) {
  const std::vector<std::int64_t> owners = owners_of(categories);
  PACO_ASSIGN(const VerifiedSamples verified, verified_in(journal));
  const auto further = [&](const io::DecidedSample& sample) -> Result<std::string> {
    PACO_ASSIGN(const auto member, journal.membership(sample.sequence));
    PACO_ASSIGN(const journal::Extras extras, journal.extras(sample.sequence, false));
    const auto prototype = static_cast<std::size_t>(member ? member->prototype : kNoId);
    const std::int64_t now =
        prototype < owners.size() && owners[prototype] >= 0 ? owners[prototype] : sample.category;
    return fmt::format(",{},{},{},{},{}", now, io::csv_field(name_of(categories, now)),
                       verified.prototype_of(sample.sequence) != kNoId ? 1 : 0,
                       sample.key.empty() ? "" : io::csv_field(sample.key),
                       extras.attributes.empty() ? "" : io::csv_field(extras.attributes));
  };
  return write_file(journal, categories, method, path, ",now,now_name,verified,key,attributes",
                    further);
}

}  // namespace

Result<void> write_recorded(Session& session, io::DecisionWriter& writer) {
  journal::Journal& journal = *Access::impl(session).journal;
  PACO_ASSIGN(const Rows categories, journal.categories());
  PACO_TRY(write_samples(journal, categories, writer, {}));
  return {};
}

Result<void> export_decisions(Session& session, const std::string& path) {
  if (!session.has_journal()) {
    return Error{ErrorCode::unsupported, "a session in memory keeps no decisions to export",
                 "keep the stream in a journal, or write the decisions as they are made"};
  }
  journal::Journal& journal = *Access::impl(session).journal;
  PACO_ASSIGN(const Rows categories, journal.categories());
  PACO_TRY(write_file(journal, categories, session.method().info(), path, "", {}));
  return {};
}

Result<std::vector<Exported>> export_journal(journal::Journal& journal, const std::string& folder) {
  if (core::path_kind(folder) != core::PathKind::absent) {
    return Error{ErrorCode::bad_argument, fmt::format("{}: it is there already", folder),
                 "name a folder that does not exist yet"};
  }
  PACO_ASSIGN(const MethodInfo* method, method_info(journal.settings().method));
  PACO_ASSIGN(const std::vector<std::byte> model, journal.model());
  PACO_ASSIGN(const std::vector<journal::CategoryRow> categories, journal.categories());
  PACO_TRY(core::make_folder(folder));
  std::vector<Exported> out;
  PACO_TRY(core::write_file(folder + "/model.paco", model));
  out.push_back({"model.paco", 1});
  PACO_ASSIGN(const std::uint64_t samples,
              write_corrected(journal, *method, categories, folder + "/decisions.csv"));
  out.push_back({"decisions.csv", samples});

  std::string text;
  std::uint64_t operations = 0;
  for (std::uint64_t from = 0;;) {
    PACO_ASSIGN(const std::vector<journal::OperationRow> page, journal.operations(from, kPage));
    if (page.empty()) break;
    for (const journal::OperationRow& row : page) {
      const nlohmann::ordered_json line = {
          {"event", row.event},
          {"sequence", row.sequence},
          {"time", row.time},
          {"actor", row.actor},
          {"kind", row.kind},
          {"request", nlohmann::ordered_json::parse(row.request, nullptr, false)},
          {"outcome", nlohmann::ordered_json::parse(row.outcome, nullptr, false)}};
      text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    operations += page.size();
    from = page.back().event + 1;
  }
  PACO_TRY(core::write_file(folder + "/operations.jsonl", text));
  out.push_back({"operations.jsonl", operations});

  text = "id,name,kind,now,retired,born,prototypes\n";
  for (const journal::CategoryRow& row : categories) {
    text += fmt::format("{},{},{},{},{},{},{}\n", row.id, io::csv_field(row.name), row.kind,
                        row.now, row.retired ? 1 : 0, row.born, fmt::join(row.prototypes, " "));
  }
  PACO_TRY(core::write_file(folder + "/categories.csv", text));
  out.push_back({"categories.csv", categories.size()});

  PACO_ASSIGN(const journal::JournalInfo info, journal.info());
  const std::size_t d = journal.settings().dimension;
  PACO_ASSIGN(io::NpyWriter embeddings,
              io::NpyWriter::create(folder + "/embeddings.npy", io::ElementType::f64, {d}));
  std::vector<double> rows;
  for (std::uint64_t at = info.first_embedding; at < samples;) {
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kPage, samples - at));
    rows.resize(count * d);
    PACO_ASSIGN(const bool kept, journal.embeddings(at, rows));
    if (!kept) break;
    PACO_TRY(embeddings.append(rows));
    at += count;
  }
  out.push_back({"embeddings.npy", embeddings.rows()});
  PACO_TRY(embeddings.commit());
  PACO_ASSIGN(const std::optional<journal::Snapshot> snapshot,
              journal.newest_snapshot(info.tail.events));
  if (snapshot) {
    PACO_TRY(core::write_file(folder + "/state.paco", snapshot->bytes));
    out.push_back({"state.paco", snapshot->sequence});
  }
  return out;
}

}  // namespace paco::session
