#include "registry/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "data/csv.hpp"
#include "registry/registry.hpp"

namespace paco {
namespace {

std::string header(const MethodInfo& method) {
  std::string text = "sequence,category";
  for (const EvidenceField& field : method.evidence) text += fmt::format(",{}", field.name);
  return text + ",categories,microseconds";
}

// The method whose trace has this header, if there is one.
const MethodInfo* method_of(const std::string& columns) {
  for (const Registration& method : registered_methods()) {
    if (header(method.info) == columns) return &method.info;
  }
  return nullptr;
}

bool parse_row(std::span<const std::string_view> values, const MethodInfo& method, Trace& trace) {
  Decision d;
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
  trace.decisions.push_back(d);
  trace.microseconds.push_back(*microseconds);
  return true;
}

Result<Trace> read_rows(ByteStream stream) {
  CsvReader reader(std::move(stream), false);
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: line {}: {}", reader.name(), reader.line(), what),
                 "give a trace as 'paco discover --trace' writes it"};
  };
  std::vector<std::string_view> values;
  PACO_ASSIGN(const bool any, reader.next(values));
  const MethodInfo* method = any ? method_of(fmt::format("{}", fmt::join(values, ","))) : nullptr;
  if (method == nullptr) return bad("the header of a trace is missing");
  Trace trace;
  for (const EvidenceField& field : method->evidence)
    trace.fields.push_back({std::string(field.name), {field.choices.begin(), field.choices.end()}});
  const std::size_t columns = method->evidence.size() + 4;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(values));
    if (!more) return trace;
    if (values.size() != columns)
      return bad(fmt::format("{} fields, the header has {}", values.size(), columns));
    if (!parse_row(values, *method, trace)) return bad("a field cannot be read");
  }
}

}  // namespace

Result<TraceWriter> TraceWriter::create(const std::string& path, const MethodInfo& method,
                                        std::optional<std::uint64_t> length) {
  PACO_ASSIGN(PartialFile file,
              length ? PartialFile::resume(path, *length) : PartialFile::create(path));
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

Result<Trace> read_trace(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  return read_rows(std::move(stream));
}

Result<Trace> parse_trace(std::span<const std::byte> bytes, const std::string& name) {
  return read_rows(ByteStream::from_bytes(bytes, name));
}

}  // namespace paco
