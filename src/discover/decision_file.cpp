#include "discover/decision_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/try.hpp"
#include "data/csv.hpp"
#include "data/format.hpp"
#include "data/npy.hpp"
#include "data/text_columns.hpp"
#include "discover/names.hpp"
#include "paco/method.hpp"

namespace paco {
namespace {

// The numeric fields at the end of every line, in the order of the columns.
struct NumberField {
  const char* name;
  double Decision::*member;
};
constexpr NumberField kLateNumbers[] = {{"assignment_score", &Decision::assignment_score},
                                        {"runner_up_score", &Decision::runner_up_score},
                                        {"tau_birth", &Decision::tau_birth},
                                        {"top_cosine", &Decision::top_cosine},
                                        {"margin", &Decision::margin},
                                        {"birth_score", &Decision::birth_score},
                                        {"attach_score", &Decision::attach_score}};

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

// One line's fields by name, however the file spells them. Returns what is wrong, or an empty
// string.
template <class Text, class Number>
std::string fill(Decision& d, std::string& sample, std::string& name, Text text, Number number) {
  const auto sequence = whole(number("sequence")), category = whole(number("category"));
  if (!sequence) return "no sequence number";
  if (!category) return "no category id";
  d.sequence = static_cast<std::uint64_t>(*sequence);
  d.category = *category;
  d.runner_up = whole(number("runner_up")).value_or(d.category);
  if (!parse_name(text("verdict"), verdict_name, 3, d.verdict)) return "unknown verdict";
  if (!parse_name(text("branch"), branch_name, 4, d.branch)) return "unknown branch";
  if (!parse_name(text("route"), route_name, 3, d.route)) return "unknown route";
  d.score = number("score").value_or(kNotComputed);
  d.threshold = number("threshold").value_or(kNotComputed);
  for (const auto& [field, member] : kLateNumbers) d.*member = number(field).value_or(kNotComputed);
  sample = text("sample");
  name = text("name");
  return "";
}

void add_line(DecisionTable& table, const Decision& d, std::string sample, std::string name) {
  table.decisions.push_back(d);
  table.samples.push_back(std::move(sample));
  table.names.push_back(std::move(name));
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
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) return table;
    if (fields.size() != header.size()) {
      return bad_line(reader.name(), reader.line(),
                      fmt::format("{} fields, the header has {}", fields.size(), header.size()));
    }
    const auto text = [&](std::string_view column) -> std::string_view {
      const auto found = std::find(header.begin(), header.end(), column);
      return found == header.end() ? std::string_view()
                                   : fields[static_cast<std::size_t>(found - header.begin())];
    };
    Decision d;
    std::string sample, name;
    const std::string wrong =
        fill(d, sample, name, text, [&](const char* column) { return parse_number(text(column)); });
    if (!wrong.empty()) return bad_line(reader.name(), reader.line(), wrong);
    add_line(table, d, std::move(sample), std::move(name));
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
    const auto text = [&](const char* key) {
      const auto found = object.find(key);
      return found != object.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
    };
    const auto value = [&](const char* key) -> std::optional<double> {
      const auto found = object.find(key);
      if (found == object.end() || !found->is_number()) return std::nullopt;
      return found->get<double>();
    };
    Decision d;
    std::string sample, name;
    const std::string wrong = fill(d, sample, name, text, value);
    if (!wrong.empty()) return bad_line(stream.name(), number, wrong);
    add_line(table, d, std::move(sample), std::move(name));
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
    d.category = d.runner_up = ids.data[i];
    add_line(table, d, std::to_string(i), "");
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

class TextWriter final : public DecisionWriter {
 public:
  TextWriter(AtomicFile file, bool csv, const Model& model)
      : file_(std::move(file)), csv_(csv), model_(model) {
    if (csv_) text_.append(kDecisionColumns).push_back('\n');
  }
  Result<void> write(std::span<const Decision> decisions,
                     std::span<const std::string> samples) override {
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      (csv_ ? append_csv : append_json)(text_, decisions[i], samples[i], model_);
    }
    return flush();
  }
  Result<void> commit() override {
    PACO_TRY(flush());
    return file_.commit();
  }

 private:
  Result<void> flush() {
    const Result<void> done = file_.write(text_);
    text_.clear();
    return done;
  }
  AtomicFile file_;
  bool csv_;
  const Model& model_;
  std::string text_;
};

class IdWriter final : public DecisionWriter {
 public:
  explicit IdWriter(NpyWriter file) : file_(std::move(file)) {}
  Result<void> write(std::span<const Decision> decisions, std::span<const std::string>) override {
    std::vector<std::int64_t> ids;
    for (const Decision& d : decisions) ids.push_back(d.category);
    return file_.append_bytes(std::as_bytes(std::span(ids)));
  }
  Result<void> commit() override { return file_.commit(); }

 private:
  NpyWriter file_;
};

class SinkWriter final : public DecisionWriter {
 public:
  SinkWriter(std::function<Result<void>(std::string_view)> sink, const Model& model)
      : sink_(std::move(sink)), model_(model) {}
  Result<void> write(std::span<const Decision> decisions,
                     std::span<const std::string> samples) override {
    std::string text;
    for (std::size_t i = 0; i < decisions.size(); ++i)
      append_json(text, decisions[i], samples[i], model_);
    return sink_(text);
  }
  Result<void> commit() override { return {}; }

 private:
  std::function<Result<void>(std::string_view)> sink_;
  const Model& model_;
};

}  // namespace

Result<DecisionFormat> decision_format(const std::string& path) {
  if (path.ends_with(".csv")) return DecisionFormat::csv;
  if (path.ends_with(".jsonl")) return DecisionFormat::jsonl;
  if (path.ends_with(".npy")) return DecisionFormat::npy;
  return Error{ErrorCode::bad_argument,
               fmt::format("{}: the name does not say how to write decisions", path),
               "end it in .csv, .jsonl or .npy"};
}

void append_csv(std::string& text, const Decision& d, std::string_view sample, const Model& model) {
  auto out = std::back_inserter(text);
  const auto number = [&](double x) {
    if (!std::isnan(x)) fmt::format_to(out, "{}", x);
  };
  fmt::format_to(out, "{},{},{},{},{},{},{},", d.sequence, csv_field(sample),
                 verdict_name(d.verdict), d.category, csv_field(category_name(d.category, model)),
                 branch_name(d.branch), route_name(d.route));
  number(d.score);
  text.push_back(',');
  number(d.threshold);
  fmt::format_to(out, ",{}", d.runner_up);
  for (const auto& [name, member] : kLateNumbers) {
    text.push_back(',');
    number(d.*member);
  }
  text.push_back('\n');
}

void append_json(std::string& text, const Decision& d, std::string_view sample,
                 const Model& model) {
  auto out = std::back_inserter(text);
  const auto number = [&](const char* name, double x) {
    if (std::isfinite(x)) {
      fmt::format_to(out, ",\"{}\":{}", name, x);
    } else {
      fmt::format_to(out, ",\"{}\":null", name);
    }
  };
  const auto quoted = [](std::string_view s) {
    return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  fmt::format_to(
      out,
      R"({{"sequence":{},"sample":{},"verdict":"{}","category":{},"name":{},"branch":"{}","route":"{}")",
      d.sequence, quoted(sample), verdict_name(d.verdict), d.category,
      quoted(category_name(d.category, model)), branch_name(d.branch), route_name(d.route));
  number("score", d.score);
  number("threshold", d.threshold);
  fmt::format_to(out, ",\"runner_up\":{}", d.runner_up);
  for (const auto& [name, member] : kLateNumbers) number(name, d.*member);
  text.append("}\n");
}

Result<std::unique_ptr<DecisionWriter>> make_decision_writer(const std::string& path,
                                                             const Model& model) {
  PACO_ASSIGN(const DecisionFormat format, decision_format(path));
  if (format == DecisionFormat::npy) {
    PACO_ASSIGN(NpyWriter file, NpyWriter::create(path, ElementType::i64, {}));
    return std::unique_ptr<DecisionWriter>(std::make_unique<IdWriter>(std::move(file)));
  }
  PACO_ASSIGN(AtomicFile file, AtomicFile::create(path));
  return std::unique_ptr<DecisionWriter>(
      std::make_unique<TextWriter>(std::move(file), format == DecisionFormat::csv, model));
}

std::unique_ptr<DecisionWriter> make_json_line_writer(
    std::function<Result<void>(std::string_view)> sink, const Model& model) {
  return std::make_unique<SinkWriter>(std::move(sink), model);
}

Result<DecisionTable> read_decisions(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  return read_any(std::move(stream));
}

Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name) {
  return read_any(ByteStream::from_bytes(bytes, name));
}

}  // namespace paco
