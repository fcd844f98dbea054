// Reading decisions: tables, JSON lines, or a vector of ids.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/decision_formats.hpp"
#include "io/decision_reader.hpp"
#include "io/flat_json.hpp"
#include "io/npy.hpp"
#include "io/text_columns.hpp"

namespace paco::io {

namespace {

constexpr std::array<std::string_view, 9> kCore{"sequence",  "sample",    "verdict",
                                                "category",  "name",      "score",
                                                "threshold", "runner_up", "prototype"};
// Columns that 'paco journal export' adds after a decision; they are not part of the decision.
constexpr std::array<std::string_view, 4> kCorrections{"now", "now_name", "key", "attributes"};
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

using Fields = std::vector<DecisionField>;

std::string_view column_name(const Fields& fields, std::size_t column) {
  return column < kFirstField ? kCore[column] : std::string_view(fields[column - kFirstField].name);
}

Error bad_line(const std::string& name, std::uint64_t line, const std::string& what) {
  return {ErrorCode::bad_format, fmt::format("{}: line {}: {}", name, line, what),
          "give a decisions file as 'paco discover --out' writes it"};
}

// The value as an integer, if a double holds it exactly.
std::optional<std::int64_t> whole(std::optional<double> number) {
  constexpr double kMost = 0x1p53;
  if (!number || !(*number >= 0) || *number > kMost || *number != std::floor(*number)) return {};
  return static_cast<std::int64_t>(*number);
}

// Columns outside the core are evidence of some method.
Result<Fields> fields_among(std::span<const std::string> columns, const EvidenceChoices& choices,
                            const std::string& name) {
  Fields fields;
  for (const std::string& column : columns) {
    const auto is_in = [&](const auto& list) {
      return std::find(list.begin(), list.end(), column) != list.end();
    };
    if (!is_in(kCore) && !is_in(kCorrections)) fields.push_back({column, choices(column)});
  }
  if (fields.size() > kMaxEvidence)
    return bad_line(name, 1,
                    fmt::format("{} columns are more than any method has", columns.size()));
  return fields;
}

// The values of one line by column, independent of their spelling in the file. Returns an error
// text, or an empty string.
template <class Text, class Number>
std::string take_line(const Fields& fields, const std::vector<bool>& unread, Text text,
                      Number number, DecidedSample& row) {
  Decision& d = row;
  d = {};
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
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const DecisionField& field = fields[i];
    if (field.choices.empty()) {
      if (!unread.empty() && unread[i]) continue;
      d.evidence[i] = number(kFirstField + i).value_or(kNotComputed);
      continue;
    }
    const auto value = text(kFirstField + i);
    if (value.empty()) continue;
    const auto found = std::find(field.choices.begin(), field.choices.end(), value);
    if (found == field.choices.end()) return fmt::format("unknown {}", field.name);
    d.evidence[i] = static_cast<double>(found - field.choices.begin());
  }
  row.sample.assign(text(kSample));
  row.name.assign(text(kName));
  return "";
}

class CsvRows final : public DecisionRows {
 public:
  explicit CsvRows(ByteStream stream) : reader_(std::move(stream), false) {}

  Result<void> start(const EvidenceChoices& choices) {
    PACO_ASSIGN(const bool any, reader_.next(cells_));
    const std::vector<std::string> header(cells_.begin(), cells_.end());
    if (!any || header.empty() || header[0] != "sequence") {
      return bad_line(reader_.name(), 1, "the header of a decisions file is missing");
    }
    columns_ = header.size();
    PACO_ASSIGN(fields, fields_among(header, choices, reader_.name()));
    for (std::size_t column = 0; column < kFirstField + fields.size(); ++column) {
      const auto found = std::find(header.begin(), header.end(), column_name(fields, column));
      places_.push_back(static_cast<std::size_t>(found - header.begin()));
    }
    return {};
  }

  Result<bool> next(DecidedSample& row) override {
    PACO_ASSIGN(const bool more, reader_.next(cells_));
    if (!more) return false;
    if (cells_.size() != columns_) {
      return bad_line(reader_.name(), reader_.line(),
                      fmt::format("{} fields, the header has {}", cells_.size(), columns_));
    }
    const auto text = [this](std::size_t column) {
      return places_[column] < cells_.size() ? cells_[places_[column]] : std::string_view();
    };
    const auto number = [&](std::size_t column) { return parse_number(text(column)); };
    const std::string wrong = take_line(fields, unread, text, number, row);
    if (!wrong.empty()) return bad_line(reader_.name(), reader_.line(), wrong);
    return true;
  }

  Result<bool> skip() override { return reader_.skip(); }
  std::optional<std::uint64_t> left() const override { return reader_.left(); }

 private:
  CsvReader reader_;
  std::vector<std::string_view> cells_;
  std::size_t columns_ = 0;
  std::vector<std::size_t> places_;  // index of each column in a line; out of range if absent
};

class JsonRows final : public DecisionRows {
 public:
  explicit JsonRows(ByteStream stream) : stream_(std::move(stream)) {}

  // Reads the first object in advance, because its keys are the columns of the file.
  Result<void> start(const EvidenceChoices& choices) {
    PACO_ASSIGN(waiting_, next_line());
    if (!waiting_) return {};
    PACO_ASSIGN(const nlohmann::json object, parsed_line());
    std::vector<std::string> columns;
    for (const auto& [key, value] : object.items()) columns.push_back(key);
    PACO_ASSIGN(fields, fields_among(columns, choices, stream_.name()));
    learn_order(columns.size());
    return {};
  }

  Result<bool> next(DecidedSample& row) override {
    if (!waiting_) {
      PACO_ASSIGN(waiting_, next_line());
    }
    if (!waiting_) return false;
    waiting_ = false;
    std::string wrong;
    if (is_like_first()) {
      const auto value = [this](std::size_t column) {
        return places_[column] < values_.size() ? values_[places_[column]] : FlatValue();
      };
      const auto text = [&](std::size_t column) { return value(column).text.value_or(""); };
      const auto number = [&](std::size_t column) { return value(column).number; };
      wrong = take_line(fields, unread, text, number, row);
    } else {
      PACO_ASSIGN(const nlohmann::json object, parsed_line());
      const auto text = [&](std::size_t column) {
        const auto found = object.find(column_name(fields, column));
        return found != object.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
      };
      const auto number = [&](std::size_t column) -> std::optional<double> {
        const auto found = object.find(column_name(fields, column));
        if (found == object.end() || !found->is_number()) return std::nullopt;
        return found->get<double>();
      };
      wrong = take_line(fields, unread, text, number, row);
    }
    if (!wrong.empty()) return bad_line(stream_.name(), line_, wrong);
    return true;
  }

  Result<bool> skip() override {
    if (waiting_) {
      waiting_ = false;
      return true;
    }
    return next_line();
  }

  std::optional<std::uint64_t> left() const override { return stream_.left(); }

 private:
  // The next line that is not blank, into text_; false at the end.
  Result<bool> next_line() {
    do {
      PACO_ASSIGN(const bool more, stream_.read_line(text_));
      if (!more) return false;
      ++line_;
    } while (is_blank_line(text_));
    return true;
  }
  Result<nlohmann::json> parsed_line() const {
    PACO_ASSIGN(auto object, parse_json_line(text_, stream_.name(), line_));
    if (!object.is_object()) return bad_line(stream_.name(), line_, "not a JSON object");
    return object;
  }

  // Stores the order of the keys in the first line. Most lines have the same keys in the same
  // order, and are then read in a tenth of the time.
  void learn_order(std::size_t keys) {
    if (!read_flat_object(text_, values_) || values_.size() != keys) return;  // or a key twice
    for (const FlatValue& value : values_) order_.emplace_back(value.key);
    for (std::size_t column = 0; column < kFirstField + fields.size(); ++column) {
      const auto found = std::find(order_.begin(), order_.end(), column_name(fields, column));
      places_.push_back(static_cast<std::size_t>(found - order_.begin()));
    }
  }
  // True if the line has the same keys in the same order; its values are then in values_.
  bool is_like_first() {
    if (order_.empty() || !read_flat_object(text_, values_)) return false;
    return std::equal(
        values_.begin(), values_.end(), order_.begin(), order_.end(),
        [](const FlatValue& value, const std::string& key) { return value.key == key; });
  }

  ByteStream stream_;
  std::string text_;
  bool waiting_ = false;  // text_ is not yet returned
  std::uint64_t line_ = 0;
  std::vector<std::string> order_;  // keys of the first line; empty if the fast path cannot read it
  std::vector<std::size_t>
      places_;  // of each column among them; beyond their end where it is absent
  std::vector<FlatValue> values_;
};

class IdRows final : public DecisionRows {
 public:
  IdRows() { detailed = false; }

  Result<void> start(ByteStream stream) {
    name_ = stream.name();
    PACO_ASSIGN(NpyArray<std::int64_t> ids, read_npy<std::int64_t>(stream));
    if (ids.shape.size() != 1) {
      return Error{
          ErrorCode::bad_shape,
          fmt::format("{}: decisions are a vector, this is {}", name_, shape_text(ids.shape)),
          "give the category ids in stream order"};
    }
    ids_ = std::move(ids.data);
    return {};
  }

  Result<bool> next(DecidedSample& row) override {
    if (at_ == ids_.size()) return false;
    const std::int64_t id = ids_[at_];
    if (id < 0) {
      return Error{ErrorCode::bad_value, fmt::format("{}: row {} has category {}", name_, at_, id),
                   "category ids count from 0"};
    }
    static_cast<Decision&>(row) = {};
    row.sequence = at_;
    row.category = row.runner_up = row.prototype = id;
    row.sample = std::to_string(at_);
    row.name.clear();
    ++at_;
    return true;
  }

  Result<bool> skip() override {
    if (at_ == ids_.size()) return false;
    ++at_;
    return true;
  }

 private:
  std::string name_;
  std::vector<std::int64_t> ids_;
  std::size_t at_ = 0;
};

template <class Rows>
DecisionRowsResult started(ByteStream stream, const EvidenceChoices& choices) {
  auto rows = std::make_unique<Rows>(std::move(stream));
  PACO_TRY(rows->start(choices));
  return DecisionRowsResult(std::move(rows));
}

}  // namespace

DecisionRowsResult open_csv_decisions(ByteStream stream, const EvidenceChoices& choices) {
  return started<CsvRows>(std::move(stream), choices);
}

DecisionRowsResult open_jsonl_decisions(ByteStream stream, const EvidenceChoices& choices) {
  return started<JsonRows>(std::move(stream), choices);
}

DecisionRowsResult open_npy_decisions(ByteStream stream, const EvidenceChoices&) {
  auto rows = std::make_unique<IdRows>();
  PACO_TRY(rows->start(std::move(stream)));
  return DecisionRowsResult(std::move(rows));
}

}  // namespace paco::io
