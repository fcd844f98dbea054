// `paco leaderboard`: merges records of runs into tables and a page.
#include "study/leaderboard.hpp"

#include <fmt/format.h>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco {
namespace {

struct LeaderboardArguments {
  std::string folder, out;
};

Result<void> run(Context& context, const LeaderboardArguments& r) {
  const std::string out = r.out.empty() ? r.folder : r.out;
  PACO_ASSIGN(const study::Leaderboard board, study::read_leaderboard(r.folder));
  PACO_TRY(core::make_folder(out));
  Json tables = Json::object();
  std::string csv;
  for (const report::Table& table : board.tables) tables[table.title] = report::table_json(table);
  const Json json = {{"records", board.records}, {"tables", tables}};
  std::vector<std::string> files;
  const auto write = [&](const char* name, const std::string& text) -> Result<void> {
    files.push_back(out + "/" + name);
    return core::write_file(files.back(), std::string_view(text));
  };
  PACO_TRY(write("leaderboard.json", json.dump(1) + "\n"));
  PACO_TRY(write("leaderboard.csv", report::write_tables(board.tables, report::TableFormat::csv)));
  PACO_TRY(
      write("leaderboard.md", report::write_tables(board.tables, report::TableFormat::markdown)));
  PACO_TRY(write("leaderboard.html", study::leaderboard_page(board)));
  return print_result(context, {{"records", board.records}, {"tables", tables}, {"files", files}},
                      report::write_tables(board.tables, report::TableFormat::text) +
                          fmt::format("\n{} runs; open {}\n", board.records, files.back()));
}

}  // namespace

void add_leaderboard(Options& verb, Context& context) {
  verb.about(
      "Merge the records of runs into tables, one for each data set\n'paco study' leaves a record "
      "of every run in OUT/records, 'paco evaluate --record FILE' writes one.\nRuns that differ in "
      "the seed alone are one row, with mean and deviation. Writes leaderboard.json,\n.csv, .md "
      "and "
      ".html.");
  auto r = std::make_shared<LeaderboardArguments>();
  verb.add_text("folder", r->folder, "where records are, with its subfolders").required();
  verb.add_text("--out", r->out, "the folder to write into").shown_default("the folder itself");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
