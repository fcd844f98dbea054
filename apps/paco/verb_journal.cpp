// `paco journal`: maintenance of the file that holds a stream.
#include <fmt/format.h>

#include <charconv>

#include "core/try.hpp"
#include "session/export.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct JournalArguments {
  std::string journal, keep, out;
  std::uint64_t snapshots = 2;
};

std::string bytes_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                            : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Result<void> verify(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(const journal::JournalReport report,
              journal::verify_journal(r.journal, *context.progress, context.stop));
  const Json json = {{"ok", report.ok},
                     {"events", report.events},
                     {"samples", report.samples},
                     {"operations", report.operations},
                     {"embeddings", report.embeddings},
                     {"snapshots", report.snapshots},
                     {"first_bad", report.first_bad ? Json(*report.first_bad) : Json()},
                     {"problem", report.problem}};
  std::string text = fmt::format("{}: {} events, {} embeddings and {} snapshots are {}\n",
                                 r.journal, report.events, report.embeddings, report.snapshots,
                                 report.ok ? "as they were written" : "good before the damage");
  if (!report.ok) {
    text += report.first_bad
                ? fmt::format("event {} is bad: {}\n", *report.first_bad, report.problem)
                : fmt::format("damaged: {}\n", report.problem);
    context.exit_code = 1;
  }
  return print_result(context, json, text);
}

Result<void> info(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(JournalReader journal, JournalReader::open(r.journal));
  PACO_ASSIGN(const JournalInfo found, journal.info());
  const JournalSettings& settings = journal.settings();
  const Json json = {
      {"method", settings.method},
      {"model", settings.model},
      {"dimension", settings.dimension},
      {"options", Json::parse(settings.options, nullptr, false)},
      {"events", found.tail.events},
      {"samples", found.tail.samples},
      {"operations", found.tail.operations},
      {"categories", found.categories},
      {"snapshots", found.snapshots},
      {"embeddings", found.embeddings},
      {"first_embedding", found.first_embedding},
      {"keep_embeddings",
       settings.retention.embeddings ? Json(*settings.retention.embeddings) : Json("all")},
      {"snapshot_every", settings.retention.snapshot_samples},
      {"file_bytes", found.file_bytes},
      {"log_bytes", found.log_bytes},
      {"free_bytes", found.free_bytes},
      {"created", found.created},
      {"last_operation", found.last_operation ? Json(*found.last_operation) : Json()}};
  const std::string text = fmt::format(
      "{}: a stream of method '{}', model {}, dimension {}\n"
      "events      {} samples, {} operations\n"
      "categories  {}\n"
      "embeddings  {} kept, from sample {} on\n"
      "snapshots   {}, one every {} samples\n"
      "size        {}, {} beside it, {} free inside\n",
      r.journal, settings.method, settings.model, settings.dimension, found.tail.samples,
      found.tail.operations, found.categories, found.embeddings, found.first_embedding,
      found.snapshots, settings.retention.snapshot_samples, bytes_text(found.file_bytes),
      bytes_text(found.log_bytes), bytes_text(found.free_bytes));
  return print_result(context, json, text);
}

Result<void> compact(Context& context, const JournalArguments& r) {
  // Opened as a session first: what is dropped must not be needed to open it again.
  PACO_ASSIGN(Session session,
              Session::open(r.journal, 1, JournalOptions::Durability::full, context.stop));
  PACO_TRY(session.close());
  PACO_ASSIGN(journal::Journal journal,
              journal::Journal::open(r.journal, journal::OpenMode::write, {}));
  PACO_ASSIGN(const journal::JournalInfo before, journal.info());
  journal::Retention retention = journal.settings().retention;
  retention.snapshots = std::max<std::uint64_t>(r.snapshots, 1);
  if (r.keep == "all") {
    retention.embeddings.reset();
  } else if (!r.keep.empty()) {
    std::uint64_t last = 0;
    const auto parsed = std::from_chars(r.keep.data(), r.keep.data() + r.keep.size(), last);
    if (parsed.ec != std::errc{} || parsed.ptr != r.keep.data() + r.keep.size()) {
      return Error{ErrorCode::bad_argument,
                   fmt::format("--keep-embeddings {}: neither 'all' nor a number", r.keep),
                   "give 'all', or how many of the last samples keep theirs"};
    }
    retention.embeddings = last;
  }
  PACO_TRY(journal.compact(retention));
  PACO_ASSIGN(const journal::JournalInfo after, journal.info());
  PACO_TRY(journal.close());
  const Json json = {{"bytes_before", before.file_bytes + before.log_bytes},
                     {"bytes_after", after.file_bytes + after.log_bytes},
                     {"embeddings", after.embeddings},
                     {"snapshots", after.snapshots}};
  return print_result(
      context, json,
      fmt::format("{}: {} before, {} now; {} embeddings and {} snapshots are kept\n", r.journal,
                  bytes_text(before.file_bytes + before.log_bytes),
                  bytes_text(after.file_bytes + after.log_bytes), after.embeddings,
                  after.snapshots));
}

Result<void> export_all(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(journal::Journal journal,
              journal::Journal::open(r.journal, journal::OpenMode::read, {}));
  const std::string folder = r.out.empty() ? r.journal + ".export" : r.out;
  PACO_ASSIGN(const std::vector<session::Exported> files, session::export_journal(journal, folder));
  Json json = {{"folder", folder}, {"files", Json::array()}};
  std::string text;
  for (const session::Exported& file : files) {
    json["files"].push_back({{"file", file.file}, {"rows", file.rows}});
    text += fmt::format("{}/{}  {}\n", folder, file.file, file.rows);
  }
  return print_result(context, json, text);
}

using JournalBody = Result<void> (*)(Context&, const JournalArguments&);

CLI::App& add_part(CLI::App& verb, Context& context, const std::shared_ptr<JournalArguments>& r,
                   const char* name, const char* text, JournalBody body) {
  CLI::App& part = *verb.add_subcommand(name, text);
  part.add_option("journal", r->journal, "the journal")->required();
  finish_verb(part, context, [&context, r, body] { return body(context, *r); });
  return part;
}

}  // namespace

void add_journal(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand(
      "journal",
      "Verify, describe, shrink or export the journal of a stream.\n'paco discover --journal' "
      "makes one; any SQLite tool reads its views 'decisions' and 'categories'.");
  verb.require_subcommand(1);
  auto r = std::make_shared<JournalArguments>();
  add_part(verb, context, r, "verify",
           "Check every event, embedding and snapshot; exit code 1 at damage.", verify);
  add_part(verb, context, r, "info", "What is in it, and how large it is.", info);
  CLI::App& smaller = add_part(verb, context, r, "compact",
                               "Drop what is not to be kept and make the file small.", compact);
  smaller
      .add_option("--keep-embeddings", r->keep,
                  "from now on: 'all', or of how many of the last samples")
      ->default_str("as before");
  add_count(smaller, "--snapshots", r->snapshots, 1, 1000, "how many of the newest to keep");
  CLI::App& out = add_part(verb, context, r, "export",
                           "Write all of it as ordinary files into a new folder.", export_all);
  out.add_option("--out", r->out, "the folder to make")->default_str("JOURNAL.export");
}

}  // namespace paco
