#include "cli/case_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace paco::testing {
namespace {

const std::string kManyLines = "{lines}";

bool starts_with(const std::string& line, const std::string& start) {
  return line.compare(0, start.size(), start) == 0;
}

// The parts of a pattern line between its {number} and {any} are literal.
std::regex line_regex(const std::string& pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern.compare(i, 8, "{number}") == 0) {
      out += "[-+]?(?:[0-9][0-9.,:]*(?:e[-+]?[0-9]+)?|inf|nan|-)";
      i += 8;
    } else if (pattern.compare(i, 5, "{any}") == 0) {
      out += ".*";
      i += 5;
    } else {
      if (std::string("\\^$.|?*+()[]{}").find(pattern[i]) != std::string::npos) out += '\\';
      out += pattern[i++];
    }
  }
  return std::regex(out);
}

bool line_fits(const std::string& pattern, const std::string& line) {
  if (pattern == line) return true;
  return pattern.find('{') != std::string::npos && std::regex_match(line, line_regex(pattern));
}

bool fits(const std::vector<std::string>& pattern, std::size_t p,
          const std::vector<std::string>& lines, std::size_t l, std::size_t& furthest) {
  furthest = std::max(furthest, l);
  if (p == pattern.size()) return l == lines.size();
  if (pattern[p] == kManyLines) {
    for (std::size_t next = l; next <= lines.size(); ++next) {
      if (fits(pattern, p + 1, lines, next, furthest)) return true;
    }
    return false;
  }
  return l < lines.size() && line_fits(pattern[p], lines[l]) &&
         fits(pattern, p + 1, lines, l + 1, furthest);
}

void collect_keys(const nlohmann::ordered_json& json, const std::string& prefix,
                  std::vector<std::string>& keys) {
  if (json.is_array()) {
    for (const auto& item : json) collect_keys(item, prefix + "[]", keys);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      const std::string name = prefix.empty() ? key : prefix + "." + key;
      // The items of an array repeat the keys of the first one.
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
      collect_keys(value, name, keys);
    }
  }
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (!text.empty() && text.back() != '\n') lines.back() += "{no newline}";
  return lines;
}

CaseFile read_case(const std::string& path) {
  CaseFile file;
  file.path = path;
  std::ifstream stream(path);
  std::vector<std::string>* section = nullptr;
  bool in_head = true;
  for (std::string line; std::getline(stream, line);) {
    if (starts_with(line, "> exit ")) {
      in_head = false;
      file.exit_code = std::stoi(line.substr(7));
    } else if (line == "> stdout" || line == "> stderr" || line == "> keys") {
      in_head = false;
      section = &(line == "> stdout" ? file.out
                  : line == "> keys" ? file.keys
                                     : file.err)
                     .emplace();
    } else if (section != nullptr) {
      section->push_back(line);
    } else if (in_head) {
      file.head.push_back(line);
      if (starts_with(line, "$ ")) file.script += line.substr(2) + "\n";
      if (starts_with(line, "@ needs verb ")) file.needed_verbs.push_back(line.substr(13));
      if (starts_with(line, "@ needs shared ")) file.needed_paths.push_back(line.substr(15));
      if (starts_with(line, "@ interrupt at ")) file.interrupt_at = line.substr(15);
    }
  }
  if (file.script.empty()) ADD_FAILURE() << path << ": no line starts with '$ '";
  return file;
}

void write_case(const CaseFile& file) {
  std::ofstream stream(file.path);
  for (const std::string& line : file.head) stream << line << '\n';
  stream << "> exit " << file.exit_code << '\n';
  const auto write = [&](const char* title, const auto& section) {
    if (!section) return;
    stream << "> " << title << '\n';
    for (const std::string& line : *section) stream << line << '\n';
  };
  write("stdout", file.out);
  write("keys", file.keys);
  write("stderr", file.err);
}

std::string difference(const std::vector<std::string>& pattern,
                       const std::vector<std::string>& lines) {
  std::size_t furthest = 0;
  if (fits(pattern, 0, lines, 0, furthest)) return "";
  std::string text;
  if (furthest < lines.size()) {
    text = "line " + std::to_string(furthest + 1) + " is not as expected: " + lines[furthest];
  } else {
    text = "there are only " + std::to_string(lines.size()) + " lines";
  }
  text += "\nall of it:\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::vector<std::string> recorded(const std::vector<std::string>& old_pattern,
                                  const std::vector<std::string>& lines) {
  if (difference(old_pattern, lines).empty()) return old_pattern;
  std::vector<std::string> pattern;
  for (const std::string& line : lines) {
    const auto kept = std::find_if(old_pattern.begin(), old_pattern.end(), [&](const auto& old) {
      return old != "{any}" && old != kManyLines && line_fits(old, line);
    });
    pattern.push_back(kept != old_pattern.end() ? *kept : line);
  }
  return pattern;
}

std::vector<std::string> json_keys(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return {"(not one JSON object: " + text + ")"};
  std::vector<std::string> keys;
  collect_keys(json, "", keys);
  return keys;
}

}  // namespace paco::testing
