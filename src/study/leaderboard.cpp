#include "study/leaderboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/json.hpp"
#include "report/page.hpp"
#include "study/run_record.hpp"

namespace paco::study {
namespace {

constexpr std::size_t kStrictAll = 5;  // the column that rows are put in order by

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = 1 << 24;
constexpr int kDeepest = 8;

struct Entry {
  std::string data, split, label, settings, matching, version;
  double scores[6] = {};  // strict all, old, new, greedy all, old, new; NaN: undefined
  double categories = 0, classes = 0;
};

double number_or_nan(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

// Settings as "bits=16 ssc=on"; what a study varies is part of them.
std::string settings_text(const Json& json) {
  std::string text;
  for (const char* key : {"settings", "varied"}) {
    if (!json.contains(key)) continue;
    for (const auto& [name, value] : json.at(key).items())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                          value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (json.value("order", "given") != "given")
    text += fmt::format("{}order={}", text.empty() ? "" : " ", json.value("order", ""));
  return text;
}

Result<Entry> entry_of(const Json& json, const std::string& path) {
  try {
    Entry entry;
    const Json& data = json.at("data");
    entry.data = data.at("name").get<std::string>();
    const char* digest = data.contains("digest") ? "digest" : "split_digest";
    if (data.at(digest).is_string()) entry.split = data.at(digest).get<std::string>().substr(0, 12);
    entry.label = json.at("label").get<std::string>();
    entry.settings = settings_text(json);
    entry.matching = json.at("keep").get<std::string>() + " " + json.at("match").get<std::string>();
    entry.version = json.at("version").get<std::string>();
    std::size_t at = 0;
    for (const char* protocol : {"strict", "greedy"}) {
      for (const char* measure : {"all", "old", "new"})
        entry.scores[at++] = number_or_nan(json.at("scores").at(protocol).at(measure));
    }
    entry.categories = number_or_nan(json.at("counts").at("categories"));
    entry.classes = number_or_nan(data.at("true_classes"));
    return entry;
  } catch (const nlohmann::json::exception& problem) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: no whole record of a run: {}", path, problem.what()),
                 "remove it, or write it again with 'paco study' or 'paco evaluate --record'"};
  }
}

Result<void> collect(const std::string& folder, int depth, std::vector<Entry>& entries) {
  PACO_ASSIGN(const std::vector<std::string> names, core::list_folder(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const core::PathKind kind = core::path_kind(path);
    if (kind == core::PathKind::folder && depth < kDeepest && !name.starts_with('.'))
      PACO_TRY(collect(path, depth + 1, entries));
    if (kind != core::PathKind::file || !name.ends_with(".json")) continue;
    PACO_ASSIGN(const std::uint64_t size, core::file_size(path));
    if (size > kMostBytes) continue;
    PACO_ASSIGN(const auto bytes, core::read_file(path, kMostBytes));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.find(kRecordFormat) == text.npos) continue;
    PACO_ASSIGN(const Json json, io::parse_json<Json>(text, path));
    if (!json.is_object() || !json.contains("format") || json.at("format") != kRecordFormat)
      continue;
    PACO_ASSIGN(Entry entry, entry_of(json, path));
    entries.push_back(std::move(entry));
  }
  return {};
}

report::Table table_of(const std::string& data, const std::string& split,
                       const std::vector<Entry>& entries) {
  report::Table table{data,
                      fmt::format("{} ({})", data, split.empty() ? "no digest" : split),
                      {{"method", "Method", report::Show::text},
                       {"settings", "Settings", report::Show::text},
                       {"keep_match", "Keep, match", report::Show::text},
                       {"version", "Version", report::Show::text},
                       {"runs", "Runs", report::Show::integer}},
                      {}};
  for (const char* name :
       {"strict all", "strict old", "strict new", "greedy all", "greedy old", "greedy new"}) {
    std::string key = name;
    std::replace(key.begin(), key.end(), ' ', '_');
    table.columns.push_back({key, name, report::Show::share});
    if (key == "strict_all")
      table.columns.push_back({key + "_deviation", "+-", report::Show::share});
  }
  table.columns.push_back({"categories", "Categories", report::Show::number, 0});
  table.columns.push_back({"classes", "True classes", report::Show::number, 0});
  std::map<std::array<std::string, 4>, std::vector<const Entry*>> groups;
  for (const Entry& e : entries) {
    if (e.data == data && e.split == split)
      groups[{e.label, e.settings, e.matching, e.version}].push_back(&e);
  }
  for (const auto& [key, group] : groups) {
    const auto n = static_cast<double>(group.size());
    const auto mean = [&](auto value) {
      double sum = 0;
      for (const Entry* e : group) sum += value(*e);
      return sum / n;
    };
    std::vector<report::Cell> row{key[0], key[1], key[2], key[3],
                                  static_cast<std::int64_t>(group.size())};
    for (std::size_t s = 0; s < 6; ++s) {
      const double m = mean([&](const Entry& e) { return e.scores[s]; });
      row.emplace_back(m);
      if (s > 0) continue;
      const double squares =
          n * mean([&](const Entry& e) { return (e.scores[0] - m) * (e.scores[0] - m); });
      row.push_back(n > 1 ? report::Cell(std::sqrt(squares / (n - 1))) : report::Cell());
    }
    row.emplace_back(mean([](const Entry& e) { return e.categories; }));
    row.emplace_back(mean([](const Entry& e) { return e.classes; }));
    table.add(std::move(row));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    const double x = std::get<double>(a[kStrictAll]), y = std::get<double>(b[kStrictAll]);
    return std::isnan(y) ? !std::isnan(x) : x > y;
  });
  return table;
}

}  // namespace

Result<Leaderboard> read_leaderboard(const std::string& folder) {
  std::vector<Entry> entries;
  PACO_TRY(collect(folder, 0, entries));
  if (entries.empty()) {
    return Error{ErrorCode::not_found, fmt::format("{}: no record of a run is in it", folder),
                 "'paco study' leaves records in OUT/records, 'paco evaluate --record FILE' one"};
  }
  Leaderboard board;
  board.records = entries.size();
  std::vector<std::pair<std::string, std::string>> sets;
  for (const Entry& e : entries) sets.emplace_back(e.data, e.split);
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  for (const auto& [data, split] : sets) board.tables.push_back(table_of(data, split, entries));
  return board;
}

std::string leaderboard_page(const Leaderboard& board) {
  // A page of tables alone: it loads nothing and runs nothing.
  constexpr std::string_view kStyle =
      ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;"
      "margin:2em auto;padding:0 1.5em}table{border-collapse:collapse;margin:2em 0;display:block;"
      "overflow-x:auto}caption{text-align:left;font-weight:650;font-size:1.15em;padding-bottom:."
      "4em}"
      "th,td{padding:.3em .9em .3em 0;border-bottom:1px solid #8884;text-align:left}"
      ".number{text-align:right;font-variant-numeric:tabular-nums}"
      "tbody tr:first-child td{font-weight:650}";
  std::string tables;
  for (const report::Table& table : board.tables) tables += report::table_html(table);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Leaderboard</title><style>{}</style></head><body>\n"
      "<h1>Leaderboard</h1>\n<p>{} runs. Each table is one data set and one split; the best Strict "
      "All stands first.</p>\n{}</body></html>\n",
      kStyle, board.records, tables);
}

}  // namespace paco::study
