#include "shared/start_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/text/text_rows.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"
#include "server/support_sets.hpp"
#include "shared/send_blocks.hpp"

namespace paco {
namespace {

constexpr int kDeepestFolder = 16;

bool ends_as(const std::string& name, std::initializer_list<const char*> endings) {
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return small.ends_with(ending); });
}
bool is_photo(const std::string& name) { return ends_as(name, {".jpg", ".jpeg", ".png", ".webp"}); }

// The column names of a table, from its header or its first object.
Result<std::vector<std::string>> columns_of(const std::string& path) {
  PACO_ASSIGN(io::ByteStream stream, io::ByteStream::open(path));
  std::vector<std::string> names;
  if (ends_as(path, {".jsonl"})) {
    std::string line;
    PACO_ASSIGN(const bool any, stream.read_line(line));
    if (!any) return names;
    PACO_ASSIGN(const nlohmann::json json, io::parse_json<nlohmann::json>(line, path + ": line 1"));
    if (!json.is_object()) return names;
    for (const auto& [name, value] : json.items()) names.push_back(name);
    return names;
  }
  io::CsvReader reader(std::move(stream), false, false);
  std::vector<std::string_view> fields;
  PACO_TRY(reader.next(fields));
  names.assign(fields.begin(), fields.end());
  return names;
}

class Scan {
 public:
  explicit Scan(std::string folder) : folder_(std::move(folder)) {}

  Result<StartFolder> run() {
    PACO_ASSIGN(const core::FileIdentity whole, core::file_identity(folder_ + "/."));
    folders_.insert(whole);
    PACO_ASSIGN(const auto names, core::list_folder(folder_));
    for (const std::string& name : names) {
      if (name.starts_with('.')) continue;
      const core::PathKind kind = core::path_kind(folder_ + "/" + name);
      if (kind == core::PathKind::folder)
        PACO_TRY(add_folder(name, name == "stream" ? "" : name, 0));
      if (kind == core::PathKind::file) PACO_TRY(add_top_file(name));
    }
    std::sort(out_.items.begin(), out_.items.end(),
              [](const StartItem& a, const StartItem& b) { return a.key < b.key; });
    if (photo_.empty() && text_.empty())
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: there are neither photos nor texts in it", folder_),
                   "put photos (.jpg, .png, .webp) or texts (.txt) of each class into a subfolder "
                   "of its name; or a .csv or .jsonl with the columns text and label"};
    if (!photo_.empty() && !text_.empty())
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: it has photos ({}) and texts ({})", folder_, photo_, text_),
                   "one stream is of one kind: put them into two folders"};
    out_.images = !photo_.empty();
    return std::move(out_);
  }

 private:
  void add_photo(const std::string& name, const std::string& label) {
    if (photo_.empty()) photo_ = name;
    out_.items.push_back({key_of("", name), label, folder_ + "/" + name, ""});
  }

  void add_words(std::string key, const std::string& label, std::string text) {
    if (text_.empty()) text_ = key;
    out_.items.push_back({key_of("", key), label, "", std::move(text)});
  }

  Result<void> add_text_file(const std::string& name, const std::string& label) {
    const auto bytes = core::read_file(folder_ + "/" + name, embed::kMostTextBytes);
    if (!bytes.ok()) {
      out_.notes.push_back(bytes.error().message);
      return {};
    }
    const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    if (const std::string fault = embed::text_fault(text); !fault.empty())
      out_.notes.push_back(fmt::format("{}: {}", name, fault));
    else
      add_words(name, label, text);
    return {};
  }

  // A folder that is reached again through a link is not read twice.
  Result<void> add_folder(const std::string& name, const std::string& label, int depth) {
    PACO_ASSIGN(const core::FileIdentity identity, core::file_identity(folder_ + "/" + name));
    if (!folders_.insert(identity).second) return {};
    if (depth > kDeepestFolder) {
      out_.notes.push_back(fmt::format("{}: folders nest too deep", name));
      return {};
    }
    PACO_ASSIGN(const auto names, core::list_folder(folder_ + "/" + name));
    for (const std::string& each : names) {
      if (each.starts_with('.')) continue;
      const std::string inside = name + "/" + each;
      const core::PathKind kind = core::path_kind(folder_ + "/" + inside);
      if (kind == core::PathKind::folder) PACO_TRY(add_folder(inside, label, depth + 1));
      if (kind != core::PathKind::file) continue;
      if (is_photo(each)) add_photo(inside, label);
      if (ends_as(each, {".txt"})) PACO_TRY(add_text_file(inside, label));
    }
    return {};
  }

  Result<void> add_top_file(const std::string& name) {
    if (is_photo(name)) add_photo(name, "");
    if (ends_as(name, {".txt"})) return add_text_file(name, "");
    if (ends_as(name, {".csv", ".tsv", ".jsonl"})) return add_table(name);
    return {};
  }

  Result<void> add_table(const std::string& name) {
    const std::string path = folder_ + "/" + name;
    PACO_ASSIGN(const auto columns, columns_of(path));
    const auto has = [&](const char* column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    if (!has("text") && !has("path"))
      return Error{ErrorCode::bad_format, fmt::format("{}: it has no column text or path", path),
                   columns.empty() ? "its first row has to name the columns"
                                   : fmt::format("it has {}; call one of them text, and that of "
                                                 "the classes label",
                                                 fmt::join(columns, ", "))};
    const bool texts = has("text");
    PACO_ASSIGN(
        const embed::TextRows rows,
        embed::read_text_rows(path, {texts ? "text" : "path", has("label") ? "label" : ""}));
    for (const embed::SkippedText& row : rows.skipped) out_.notes.push_back(row.error.message);
    std::map<std::string, int> seen;  // counts equal rows
    for (std::size_t i = 0; i < rows.texts.size(); ++i) {
      const std::string label = rows.labels.empty() ? "" : rows.labels[i];
      if (!texts) {
        add_photo(rows.texts[i], label);
        continue;
      }
      add_words(fmt::format("{}#{}", name, text_key(rows.texts[i], seen)), label, rows.texts[i]);
    }
    return {};
  }

  std::string folder_;
  std::string photo_, text_;  // the first of each
  std::set<core::FileIdentity> folders_;
  StartFolder out_;
};

}  // namespace

Result<StartFolder> scan_start_folder(const std::string& folder) { return Scan(folder).run(); }

std::size_t drop_labels(StartFolder& found) {
  std::size_t labelled = 0;
  for (StartItem& item : found.items) {
    labelled += !item.label.empty();
    item.label.clear();
  }
  return labelled;
}

Result<void> check_classes(const std::vector<std::string>& labels, const std::string& folder) {
  std::vector<std::string> known = labels;
  std::erase(known, "");
  const Result<void> enough = server::check_classes(known);
  if (enough.ok()) return {};
  return Error{enough.error().code, fmt::format("{}: {}", folder, enough.error().message),
               enough.error().hint + ": in a subfolder of its name, or as rows with a label"};
}

}  // namespace paco
