#include "io/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "io/csv.hpp"
#include "paco/method.hpp"

namespace paco::io {
namespace {

std::string header(const MethodInfo& method) {
  std::string text = "sequence,category";
  for (const EvidenceField& field : method.evidence) text += fmt::format(",{}", field.name);
  return text + ",categories,microseconds";
}

// The method whose trace has this header, or null.
const MethodInfo* method_of(const std::string& columns) {
  for (const std::string& name : method_names()) {
    const MethodInfo* method = method_info(name).value();
    if (header(*method) == columns) return method;
  }
  return nullptr;
}

bool parse_row(std::span<const std::string_view> values, const MethodInfo& method, TraceRow& row) {
  Decision& d = row.decision;
  d = {};
  const auto sequence = parse_integer(values[0]), category = parse_integer(values[1]);
  const auto categories = parse_integer(values[values.size() - 2]);
  const auto microseconds = parse_number(values.back());
  if (!sequence || !category || !categories || !microseconds || *sequence < 0 || *category < 0 ||
      *categories < 0) {
    return false;
  }
  d.sequence = static_cast<std::uint64_t>(*sequence);
  d.category = *category;
  d.categories_after = static_cast<std::uint64_t>(*categories);
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const std::string_view text = values[2 + i];
    const auto& choices = method.evidence[i].choices;
    if (text.empty()) continue;
    if (choices.empty()) {
      const auto value = parse_number(text);
      if (!value) return false;
      d.evidence[i] = *value;
    } else {
      const auto found = std::find(choices.begin(), choices.end(), text);
      if (found == choices.end()) return false;
      d.evidence[i] = static_cast<double>(found - choices.begin());
    }
  }
  row.microseconds = *microseconds;
  return true;
}

Result<Trace> read_all(TraceReader reader) {
  Trace trace;
  trace.fields = reader.fields();
  TraceRow row;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(row));
    if (!more) return trace;
    trace.decisions.push_back(row.decision);
    trace.microseconds.push_back(row.microseconds);
  }
}

}  // namespace

Result<TraceWriter> TraceWriter::create(const std::string& path, const MethodInfo& method,
                                        std::optional<std::uint64_t> length) {
  PACO_ASSIGN(core::PartialFile file,
              length ? core::PartialFile::resume(path, *length) : core::PartialFile::create(path));
  TraceWriter writer(std::move(file), method);
  if (writer.file_.size() == 0) PACO_TRY(writer.file_.write(header(method) + "\n"));
  return writer;
}

Result<void> TraceWriter::write(std::span<const Decision> decisions, double microseconds_each) {
  text_.clear();
  auto out = std::back_inserter(text_);
  for (const Decision& d : decisions) {
    fmt::format_to(out, "{},{}", d.sequence, d.category);
    for (std::size_t i = 0; i < method_->evidence.size(); ++i) {
      text_.push_back(',');
      if (std::isnan(d.evidence[i])) continue;
      const auto& choices = method_->evidence[i].choices;
      if (choices.empty()) {
        fmt::format_to(out, "{}", d.evidence[i]);
      } else {
        text_.append(choices[static_cast<std::size_t>(d.evidence[i])]);
      }
    }
    fmt::format_to(out, ",{},{:.3f}\n", d.categories_after, microseconds_each);
  }
  return file_.write(text_);
}

Result<std::uint64_t> TraceWriter::sync() {
  PACO_TRY(file_.sync());
  return file_.size();
}

int Trace::field(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Error TraceReader::bad(const std::string& what) const {
  return {ErrorCode::bad_format,
          fmt::format("{}: line {}: {}", reader_.name(), reader_.line(), what),
          "give a trace as 'paco discover --trace' writes it"};
}

Result<TraceReader> TraceReader::open(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  return of(std::move(stream));
}

Result<TraceReader> TraceReader::of(ByteStream stream) {
  TraceReader reader(std::move(stream));
  PACO_ASSIGN(const bool any, reader.reader_.next(reader.cells_));
  if (any) reader.method_ = method_of(fmt::format("{}", fmt::join(reader.cells_, ",")));
  if (reader.method_ == nullptr) return reader.bad("the header of a trace is missing");
  for (const EvidenceField& field : reader.method_->evidence) {
    reader.fields_.push_back(
        {std::string(field.name), {field.choices.begin(), field.choices.end()}});
  }
  return reader;
}

Result<bool> TraceReader::next(TraceRow& row) {
  PACO_ASSIGN(const bool more, reader_.next(cells_));
  if (!more) return false;
  const std::size_t columns = fields_.size() + 4;
  if (cells_.size() != columns)
    return bad(fmt::format("{} fields, the header has {}", cells_.size(), columns));
  if (!parse_row(cells_, *method_, row)) return bad("a field cannot be read");
  return true;
}

Result<Trace> read_trace(const std::string& path) {
  PACO_ASSIGN(TraceReader reader, TraceReader::open(path));
  return read_all(std::move(reader));
}

Result<Trace> parse_trace(std::span<const std::byte> bytes, const std::string& name) {
  PACO_ASSIGN(TraceReader reader, TraceReader::of(ByteStream::from_bytes(bytes, name)));
  return read_all(std::move(reader));
}

}  // namespace paco::io
