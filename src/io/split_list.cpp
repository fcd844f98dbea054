#include "io/split_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"

namespace paco::io {
namespace {

constexpr std::uint64_t kMaxSplitBytes = 1 << 24;

// A class by its name, or else by its number.
Result<std::int64_t> class_number(const std::string& word, const std::vector<std::string>& names,
                                  const std::string& path) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<std::int64_t>(found - names.begin());
  const auto number = parse_integer(word);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < names.size()) return *number;
  return Error{ErrorCode::not_found, fmt::format("{}: the data have no class '{}'", path, word),
               fmt::format("classes are '{}' to '{}', or the numbers 0 to {}", names.front(),
                           names.back(), names.size() - 1)};
}

Result<std::vector<std::int64_t>> class_numbers(const nlohmann::json& list, const char* key,
                                                const std::vector<std::string>& names,
                                                const std::string& path) {
  std::vector<std::int64_t> numbers;
  const auto found = list.find(key);
  if (found == list.end() || !found->is_array()) {
    return Error{ErrorCode::bad_format, fmt::format("{}: has no list \"{}\"", path, key),
                 "write {\"known\": [...], \"novel\": [...]} with class numbers or names"};
  }
  for (const auto& item : *found) {
    const std::string word = item.is_string() ? item.get<std::string>() : item.dump();
    PACO_ASSIGN(const std::int64_t number, class_number(word, names, path));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<ClassSplit> read_class_split(const std::string& path,
                                    const std::vector<std::string>& class_names) {
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMaxSplitBytes));
  return parse_class_split({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, class_names,
                           path);
}

Result<ClassSplit> parse_class_split(std::string_view text,
                                     const std::vector<std::string>& class_names,
                                     const std::string& path) {
  if (json_nests_deeper(text)) return parse_json(text, path).error();
  const auto json = parse_json(text, path);
  ClassSplit split;
  if (json.ok() && json->is_object()) {
    PACO_ASSIGN(split.known, class_numbers(*json, "known", class_names, path));
    PACO_ASSIGN(split.novel, class_numbers(*json, "novel", class_names, path));
  } else {
    PACO_ASSIGN(const auto words, parse_class_names(text, path));
    for (const std::string& word : words) {
      PACO_ASSIGN(const std::int64_t number, class_number(word, class_names, path));
      split.known.push_back(number);
    }
    for (std::int64_t c = 0; c < static_cast<std::int64_t>(class_names.size()); ++c) {
      if (std::find(split.known.begin(), split.known.end(), c) == split.known.end())
        split.novel.push_back(c);
    }
  }
  std::set<std::int64_t> seen;
  for (const auto* part : {&split.known, &split.novel}) {
    for (const std::int64_t c : *part) {
      if (seen.insert(c).second) continue;
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: class '{}' is in it twice", path,
                               class_names[static_cast<std::size_t>(c)]),
                   "a class is known or novel, and listed once"};
    }
  }
  if (split.known.empty() || split.novel.empty()) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: leaves no {} class", path, split.known.empty() ? "known" : "novel"),
        "list some of the classes, not none and not all"};
  }
  return split;
}

}  // namespace paco::io
