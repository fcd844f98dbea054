// Reading decisions back.
#include "registry/decision_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "data/csv.hpp"
#include "data/format.hpp"
#include "data/npy.hpp"
#include "data/text_columns.hpp"
#include "registry/registry.hpp"

namespace paco {
namespace {

constexpr std::array<std::string_view, 9> kCore{"sequence",  "sample",    "verdict",
                                                "category",  "name",      "score",
                                                "threshold", "runner_up", "prototype"};
// Columns by number: those of the core in that order, then the table's fields.
enum Column : std::size_t {
  kSequence,
  kSample,
  kVerdict,
  kCategory,
  kName,
  kScore,
  kThreshold,
  kRunnerUp,
  kPrototype,
  kFirstField
};
static_assert(kFirstField == kCore.size());

std::string_view column_name(const DecisionTable& table, std::size_t column) {
  return column < kFirstField ? kCore[column]
                              : std::string_view(table.fields[column - kFirstField].name);
}

Error bad_line(const std::string& name, std::uint64_t line, const std::string& what) {
  return {ErrorCode::bad_format, fmt::format("{}: line {}: {}", name, line, what),
          "give a decisions file as 'paco discover --out' writes it"};
}

// A whole number that a double holds exactly.
std::optional<std::int64_t> whole(std::optional<double> number) {
  constexpr double kMost = 0x1p53;
  if (!number || !(*number >= 0) || *number > kMost || *number != std::floor(*number)) return {};
  return static_cast<std::int64_t>(*number);
}

// A column that no part of the core has: evidence of some method. Choices are those that a
// registered method declares under this name.
DecisionTable::Field field_called(std::string_view name) {
  DecisionTable::Field field{std::string(name), {}};
  for (const Registration& method : registered_methods()) {
    for (const EvidenceField& known : method.info.evidence) {
      if (known.name != name || known.choices.empty()) continue;
      field.choices.assign(known.choices.begin(), known.choices.end());
      return field;
    }
  }
  return field;
}

Result<void> set_fields(DecisionTable& table, std::span<const std::string> columns,
                        const std::string& name) {
  for (const std::string& column : columns) {
    if (std::find(kCore.begin(), kCore.end(), column) != kCore.end()) continue;
    table.fields.push_back(field_called(column));
  }
  if (table.fields.size() > kMaxEvidence)
    return bad_line(name, 1,
                    fmt::format("{} columns are more than any method has", columns.size()));
  return {};
}

// One line's values by column, however the file spells them. Returns what is wrong, or an empty
// string.
template <class Text, class Number>
std::string add_line(DecisionTable& table, Text text, Number number) {
  Decision d;
  const auto sequence = whole(number(kSequence)), category = whole(number(kCategory));
  if (!sequence) return "no sequence number";
  if (!category) return "no category id";
  d.sequence = static_cast<std::uint64_t>(*sequence);
  d.category = *category;
  d.runner_up = whole(number(kRunnerUp)).value_or(d.category);
  d.prototype = whole(number(kPrototype)).value_or(d.category);
  int verdict = 0;
  const auto word = text(kVerdict);
  while (verdict < 4 && verdict_name(static_cast<Verdict>(verdict)) != word) ++verdict;
  if (verdict == 4) return "unknown verdict";
  d.verdict = static_cast<Verdict>(verdict);
  d.score = number(kScore).value_or(kNotComputed);
  d.threshold = number(kThreshold).value_or(kNotComputed);
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const DecisionTable::Field& field = table.fields[i];
    if (field.choices.empty()) {
      d.evidence[i] = number(kFirstField + i).value_or(kNotComputed);
      continue;
    }
    const auto value = text(kFirstField + i);
    if (value.empty()) continue;
    const auto found = std::find(field.choices.begin(), field.choices.end(), value);
    if (found == field.choices.end()) return fmt::format("unknown {}", field.name);
    d.evidence[i] = static_cast<double>(found - field.choices.begin());
  }
  table.decisions.push_back(d);
  table.samples.emplace_back(text(kSample));
  table.names.emplace_back(text(kName));
  return "";
}

Result<DecisionTable> read_csv(ByteStream stream) {
  CsvReader reader(std::move(stream), false);
  std::vector<std::string_view> fields;
  PACO_ASSIGN(const bool any, reader.next(fields));
  std::vector<std::string> header(fields.begin(), fields.end());
  if (!any || header.empty() || header[0] != "sequence") {
    return bad_line(reader.name(), 1, "the header of a decisions file is missing");
  }
  DecisionTable table;
  PACO_TRY(set_fields(table, header, reader.name()));
  std::vector<std::size_t> places;  // of each column in a line; beyond its end where it is absent
  for (std::size_t column = 0; column < kFirstField + table.fields.size(); ++column) {
    const auto found = std::find(header.begin(), header.end(), column_name(table, column));
    places.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) return table;
    if (fields.size() != header.size()) {
      return bad_line(reader.name(), reader.line(),
                      fmt::format("{} fields, the header has {}", fields.size(), header.size()));
    }
    const auto text = [&](std::size_t column) {
      return places[column] < fields.size() ? fields[places[column]] : std::string_view();
    };
    const std::string wrong =
        add_line(table, text, [&](std::size_t column) { return parse_number(text(column)); });
    if (!wrong.empty()) return bad_line(reader.name(), reader.line(), wrong);
  }
}

Result<DecisionTable> read_json_lines(ByteStream stream) {
  DecisionTable table;
  std::string line;
  for (std::uint64_t number = 1;; ++number) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) return table;
    if (line.empty()) continue;
    PACO_ASSIGN(const nlohmann::json object, parse_json_line(line, stream.name(), number));
    if (!object.is_object()) return bad_line(stream.name(), number, "not a JSON object");
    if (table.decisions.empty()) {
      std::vector<std::string> columns;
      for (const auto& [key, value] : object.items()) columns.push_back(key);
      PACO_TRY(set_fields(table, columns, stream.name()));
    }
    const auto text = [&](std::size_t column) {
      const auto found = object.find(column_name(table, column));
      return found != object.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
    };
    const auto value = [&](std::size_t column) -> std::optional<double> {
      const auto found = object.find(column_name(table, column));
      if (found == object.end() || !found->is_number()) return std::nullopt;
      return found->get<double>();
    };
    const std::string wrong = add_line(table, text, value);
    if (!wrong.empty()) return bad_line(stream.name(), number, wrong);
  }
}

Result<DecisionTable> read_ids(ByteStream stream) {
  const std::string name = stream.name();
  PACO_ASSIGN(const NpyArray<std::int64_t> ids, read_npy<std::int64_t>(stream));
  if (ids.shape.size() != 1) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: decisions are a vector, this is {}", name, shape_text(ids.shape)),
                 "give the category ids in stream order"};
  }
  DecisionTable table;
  table.detailed = false;
  for (std::size_t i = 0; i < ids.data.size(); ++i) {
    if (ids.data[i] < 0) {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: row {} has category {}", name, i, ids.data[i]),
                   "category ids count from 0"};
    }
    Decision d;
    d.sequence = i;
    d.category = d.runner_up = d.prototype = ids.data[i];
    table.decisions.push_back(d);
    table.samples.push_back(std::to_string(i));
    table.names.emplace_back();
  }
  return table;
}

Result<DecisionTable> read_any(ByteStream stream) {
  PACO_ASSIGN(const auto head, stream.peek(kDetectBytes));
  switch (detect_format(head)) {
    case FileFormat::npy:
      return read_ids(std::move(stream));
    case FileFormat::jsonl:
      return read_json_lines(std::move(stream));
    case FileFormat::text:
      return read_csv(std::move(stream));
    default:
      break;
  }
  return Error{ErrorCode::bad_format, fmt::format("{}: not a decisions file", stream.name()),
               "give csv, JSON lines or npy as 'paco discover --out' writes it"};
}

}  // namespace

int DecisionTable::field(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Decision DecisionTable::as_of(const MethodInfo& method, std::size_t row) const {
  Decision d = decisions[row];
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const int at = field(method.evidence[i].name);
    d.evidence[i] = at < 0 ? kNotComputed : decisions[row].evidence[static_cast<std::size_t>(at)];
  }
  return d;
}

Result<std::string> method_of(const DecisionTable& table, const Model& model) {
  const auto fits = [&](const MethodInfo& method) {
    std::size_t columns = 0;
    for (const EvidenceField& field : method.evidence) {
      if (field.after) continue;
      ++columns;
      if (table.field(field.name) < 0) return false;
    }
    return columns == table.fields.size() && model.section(method.section).ok();
  };
  PACO_ASSIGN(const Registration* own, find_method(model.method));
  if (fits(own->info)) return model.method;
  for (const Registration& method : registered_methods()) {
    if (fits(method.info)) return std::string(method.info.name);
  }
  return Error{ErrorCode::mismatch,
               "the decisions have not the evidence of any method that the model is for",
               "give the model that the decisions were made with"};
}

Result<DecisionTable> read_decisions(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  return read_any(std::move(stream));
}

Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name) {
  return read_any(ByteStream::from_bytes(bytes, name));
}

}  // namespace paco
