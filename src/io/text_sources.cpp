// Embeddings from text: csv tables and jsonl. Rows may carry an id and a label beside their
// numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/embedding_sources.hpp"
#include "io/numbers.hpp"
#include "io/text_columns.hpp"

namespace paco::io {
namespace {

// A table: every column that is not an id or a label is a value.
class CsvSource final : public EmbeddingSource {
 public:
  CsvSource(CsvReader reader, CsvLayout layout)
      : EmbeddingSource(reader.name()),
        reader_(std::move(reader)),
        layout_(std::move(layout)),
        before_(layout_.values.front()),
        behind_(layout_.columns - 1 - layout_.values.back()),
        together_(before_ + layout_.values.size() + behind_ == layout_.columns) {}

  std::size_t dimension() const override { return layout_.values.size(); }
  std::optional<std::uint64_t> rows() const override { return std::nullopt; }
  ElementType type() const override { return ElementType::f64; }
  std::vector<std::string> notes() const override { return layout_.notes; }

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids,
                                Wait wait) override {
    std::size_t done = 0;
    for (; done < block.rows; ++done, ++row_) {
      const Result<bool> more = next(block[done], ids, wait == Wait::for_one && done > 0);
      if (!more.ok()) return rows_before(done, more.error(), wait);
      if (!*more) break;
    }
    return done;
  }

  // False at the end, or if `at_once` is set and the next row is not available yet.
  Result<bool> next(std::span<double> out, std::vector<std::string>* ids, bool at_once) {
    if (!layout_.first_rows.empty()) {
      const CsvRow row = std::move(layout_.first_rows.front());
      layout_.first_rows.pop_front();
      fields_.assign(row.fields.begin(), row.fields.end());
      PACO_TRY(take(row.line, out, ids));
      return true;
    }
    if (at_once) {
      PACO_ASSIGN(const bool ready, reader_.ready());
      if (!ready) return false;
    }
    using Row = CsvReader::Row;
    Row row = Row::fields;
    if (together_) {
      PACO_ASSIGN(row, reader_.next(fields_, before_, out, behind_));
    } else {
      PACO_ASSIGN(const bool more, reader_.next(fields_));
      if (!more) row = Row::end;
    }
    if (row == Row::end) return false;
    if (row == Row::fields) {
      PACO_TRY(take(reader_.line(), out, ids));
    } else if (ids && layout_.id) {
      const std::size_t id = *layout_.id;
      ids->emplace_back(fields_[id < before_ ? id : id - layout_.values.size()]);
    }
    return true;
  }

  Result<void> take(std::uint64_t line, std::span<double> out, std::vector<std::string>* ids) {
    if (fields_.size() != layout_.columns) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: line {} (row {}) has {} fields, the first has {}", name(), line,
                               row_, fields_.size(), layout_.columns),
                   "give every row the same number of values"};
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::string_view field = fields_[layout_.values[i]];
      const auto value = parse_number(field);
      if (!value) {
        return Error{ErrorCode::bad_value,
                     fmt::format("{}: line {} (row {}), column {}: '{}' is not a number", name(),
                                 line, row_, layout_.values[i] + 1, field.substr(0, 40)),
                     field.empty() ? "fill in or remove rows with missing values"
                                   : "numbers have a decimal point and no thousands marks"};
      }
      out[i] = *value;
    }
    if (ids && layout_.id) ids->emplace_back(fields_[*layout_.id]);
    return {};
  }

  CsvReader reader_;
  CsvLayout layout_;
  std::size_t before_, behind_;  // columns around the values
  bool together_;                // true: the value columns are contiguous
  std::vector<std::string_view> fields_;
  std::uint64_t row_ = 0;
};

// One JSON value a line: a list of numbers, or an object with the list under "embedding" (or
// "vector", "features").
class JsonlSource final : public EmbeddingSource {
 public:
  explicit JsonlSource(ByteStream stream)
      : EmbeddingSource(stream.name()), stream_(std::move(stream)) {}

  // Reads the first row, which determines the length of a row.
  Result<void> begin() {
    PACO_ASSIGN(waiting_, next());
    if (!waiting_) {
      return Error{ErrorCode::bad_shape, fmt::format("{}: holds no samples", name()),
                   "write one JSON list or object a line"};
    }
    dimension_ = values_.size();
    if (dimension_ == 0 || dimension_ > kMaxDimension)
      return problem("has an empty or too long list");
    return {};
  }

  std::size_t dimension() const override { return dimension_; }
  std::optional<std::uint64_t> rows() const override { return std::nullopt; }
  ElementType type() const override { return ElementType::f64; }

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids,
                                Wait wait) override {
    std::size_t done = 0;
    for (; done < block.rows; ++done, ++row_) {
      const Result<bool> more = take(block[done], ids, wait == Wait::for_one && done > 0);
      if (!more.ok()) return rows_before(done, more.error(), wait);
      if (!*more) break;
    }
    return done;
  }

  // False at the end, or if `at_once` is set and the next row is not available yet.
  Result<bool> take(std::span<double> out, std::vector<std::string>* ids, bool at_once) {
    if (!waiting_ && at_once) {
      PACO_ASSIGN(const bool ready, line_ready());
      if (!ready) return false;
    }
    if (!waiting_) {
      PACO_ASSIGN(waiting_, next());
      if (!waiting_) return false;
    }
    if (values_.size() != dimension_)
      return problem(fmt::format("has {} values, the first has {}", values_.size(), dimension_));
    if (has_id_ != first_has_id_)
      return problem("has an id and others have none, or the other way round");
    std::copy(values_.begin(), values_.end(), out.begin());
    if (ids && has_id_) ids->push_back(id_);
    waiting_ = false;
    return true;
  }

  // True if next() would return without waiting. Skips blank lines.
  Result<bool> line_ready() {
    while (stream_.may_wait()) {
      PACO_ASSIGN(const auto line, stream_.peek_line_ready());
      if (!line) return false;
      if (!is_blank_line(*line) || stream_.ended()) return true;
      PACO_TRY(stream_.read_line(text_));
      ++line_;
    }
    return true;
  }

  // The next line that is not blank into values_ and id_; false at the end.
  Result<bool> next() {
    do {
      PACO_ASSIGN(const bool more, stream_.read_line(text_));
      if (!more) return false;
      ++line_;
    } while (is_blank_line(text_));
    has_id_ = false;
    bool listed = take_list();
    if (listed && rest_.empty()) {
      if (row_ == 0) first_has_id_ = false;
      return true;
    }
    Result<nlohmann::json> parsed = parse_json_line(listed ? rest_ : text_, name(), line_);
    if (listed && !parsed.ok()) {  // so that the error gives a position in the whole line
      listed = false;
      parsed = parse_json_line(text_, name(), line_);
    }
    PACO_ASSIGN(const nlohmann::json value, std::move(parsed));
    const nlohmann::json* list = &value;
    if (value.is_object()) {
      list = find_key(value, {"embedding", "vector", "features"});
      if (!list) return problem("has no key \"embedding\"");
      if (const auto* id = find_key(value, {"id", "sample", "name"})) {
        has_id_ = true;
        id_ = id->is_string() ? id->get<std::string>() : id->dump();
      }
    }
    if (row_ == 0) first_has_id_ = has_id_;
    if (!list->is_array()) return problem("is not a list of numbers");
    if (listed) return true;
    values_.clear();
    for (const auto& number : *list) {
      if (!number.is_number())
        return problem(fmt::format("value {} is not a number", values_.size()));
      values_.push_back(number.get<double>());
    }
    return true;
  }

  // Reads the numbers without the JSON library, which takes ten times as long. It returns true if
  // the line is a list of numbers, or an object in which exactly one value is a list, of numbers.
  // The rest of the line is then in rest_: nothing, or the object with an empty list. Otherwise it
  // returns false, and the library finds any error in the line.
  bool take_list() {
    const std::size_t first = text_.find_first_not_of(kBlanks);
    if (text_[first] == '[') {
      const auto length = read_number_list(std::string_view(text_).substr(first), values_);
      if (!length || text_.find_first_not_of(kBlanks, first + *length) != std::string::npos)
        return false;
      rest_.clear();
      return true;
    }
    if (text_[first] != '{') return false;
    std::size_t begin = 0, length = 0;
    for (std::size_t i = first + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {  // skips to the end of the quoted text
        for (++i; i < text_.size() && text_[i] != '"'; ++i) i += text_[i] == '\\' ? 1 : 0;
      } else if (text_[i] == '{') {
        return false;
      } else if (text_[i] == '[') {
        if (length > 0) return false;
        const auto read = read_number_list(std::string_view(text_).substr(i), values_);
        if (!read) return false;
        begin = i;
        length = *read;
        i += length - 1;
      }
    }
    if (length == 0) return false;
    rest_.assign(text_, 0, begin).append("[]").append(text_, begin + length);
    return true;
  }

  Error problem(std::string_view what) const {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: line {} (row {}) {}", name(), line_, row_, what),
                 "every line is a list of numbers, or {\"id\": ..., \"embedding\": [...]}"};
  }

  ByteStream stream_;
  std::string text_, rest_, id_;
  std::vector<double> values_;
  bool waiting_ = false, has_id_ = false, first_has_id_ = false;
  std::size_t dimension_ = 0;
  std::uint64_t line_ = 0, row_ = 0;
};

}  // namespace

EmbeddingResult open_csv_embeddings(FormatInput input) {
  CsvReader reader(std::move(input.stream));
  PACO_ASSIGN(auto layout, read_csv_layout(reader));
  if (layout.values.empty() || layout.values.size() > kMaxDimension) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: line {} has no numbers, or far too many", reader.name(), reader.line()),
        "a csv file of embeddings has one sample a line, its values separated by commas"};
  }
  return EmbeddingResult(std::make_unique<CsvSource>(std::move(reader), std::move(layout)));
}

EmbeddingResult open_jsonl_embeddings(FormatInput input) {
  auto source = std::make_unique<JsonlSource>(std::move(input.stream));
  PACO_TRY(source->begin());
  return EmbeddingResult(std::move(source));
}

}  // namespace paco::io
