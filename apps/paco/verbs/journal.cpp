// `paco journal`: maintenance of the file that holds a stream.
#include <fmt/format.h>

#include <charconv>

#include "cli/verb.hpp"
#include "core/try.hpp"
#include "session/export.hpp"

namespace paco {
namespace {

struct JournalArguments {
  std::string journal, keep, out, to;
  std::uint64_t snapshots = 2;
};

std::string bytes_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                            : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// Embeddings since the newest snapshot are always kept.
std::string asked_for(const journal::Retention& retention) {
  if (!retention.embeddings) return "all";
  return *retention.embeddings == 0 ? "those since the newest snapshot"
                                    : fmt::format("the last {} and those since the newest snapshot",
                                                  *retention.embeddings);
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

Result<void> copy(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(const journal::JournalReport report,
              journal::copy_journal(r.journal, r.to, *context.progress, context.stop));
  if (!report.ok) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: damaged, and not copied: {}", r.journal, report.problem),
                 "'paco journal verify' says more"};
  }
  const Json json = {{"journal", r.to},
                     {"events", report.events},
                     {"samples", report.samples},
                     {"operations", report.operations},
                     {"embeddings", report.embeddings},
                     {"snapshots", report.snapshots}};
  return print_result(context, json,
                      fmt::format("{}: a copy with {} events, verified\n", r.to, report.events));
}

Result<void> accept(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(const journal::JournalTail tail, journal::accept_loss(r.journal));
  const Json json = {
      {"events", tail.events}, {"samples", tail.samples}, {"operations", tail.operations}};
  return print_result(
      context, json,
      fmt::format("{}: the {} events that are there are taken for all\n", r.journal, tail.events));
}

Result<void> info(Context& context, const JournalArguments& r) {
  PACO_ASSIGN(journal::JournalReader journal, journal::JournalReader::open(r.journal));
  PACO_ASSIGN(const journal::JournalInfo found, journal.info());
  const journal::JournalSettings& settings = journal.settings();
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
      "embeddings  {} kept, from sample {} on (asked for: {})\n"
      "snapshots   {}, one every {} samples\n"
      "size        {}, {} beside it, {} free inside\n",
      r.journal, settings.method, settings.model, settings.dimension, found.tail.samples,
      found.tail.operations, found.categories, found.embeddings, found.first_embedding,
      asked_for(settings.retention), found.snapshots, settings.retention.snapshot_samples,
      bytes_text(found.file_bytes), bytes_text(found.log_bytes), bytes_text(found.free_bytes));
  return print_result(context, json, text);
}

Result<void> compact(Context& context, const JournalArguments& r) {
  // Open and close it as a session first, so that nothing that is dropped is needed to open it.
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
      fmt::format(
          "{}: {} before, {} now; {} embeddings and {} snapshots are kept (asked for: {})\n",
          r.journal, bytes_text(before.file_bytes + before.log_bytes),
          bytes_text(after.file_bytes + after.log_bytes), after.embeddings, after.snapshots,
          asked_for(retention)));
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

Options& add_part(Options& verb, Context& context, const std::shared_ptr<JournalArguments>& r,
                  const char* name, const char* text, JournalBody body) {
  Options& part = verb.add_part(name, text);
  part.add_text("journal", r->journal, "the journal").required();
  finish_verb(part, context, [&context, r, body] { return body(context, *r); });
  return part;
}

}  // namespace

void add_journal(Options& verb, Context& context) {
  verb.about(
      "Verify, describe, copy, shrink or export the journal of a stream.\n'paco discover "
      "--journal' "
      "makes one; any SQLite tool reads its views 'decisions' and 'categories'.");
  auto r = std::make_shared<JournalArguments>();
  add_part(verb, context, r, "verify",
           "Check every event, embedding and snapshot; exit code 1 at damage.", verify);
  add_part(verb, context, r, "info", "What is in it, and how large it is.", info);
  add_part(verb, context, r, "copy", "A second journal, verified, also while a stream is written.",
           copy)
      .add_text("to", r->to, "the journal to make")
      .required();
  add_part(verb, context, r, "accept",
           "Go on with the events that are there, after acknowledged ones were lost.", accept);
  Options& smaller = add_part(verb, context, r, "compact",
                              "Drop what is not to be kept and make the file small.", compact);
  smaller
      .add_text("--keep-embeddings", r->keep,
                "from now on: 'all', or of how many of the last samples; those since the newest "
                "snapshot stay")
      .shown_default("as before");
  add_count(smaller, "--snapshots", r->snapshots, 1, 1000, "how many of the newest to keep");
  Options& out = add_part(verb, context, r, "export",
                          "Write all of it as ordinary files into a new folder.", export_all);
  out.add_text("--out", r->out, "the folder to make").shown_default("JOURNAL.export");
}

}  // namespace paco
