// A whole file of decisions in memory, and the method that wrote it.
#include "io/decision_file.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "io/format.hpp"
#include "paco/method.hpp"

namespace paco::io {
namespace {

Result<DecisionTable> read_all(DecisionReader& reader) {
  DecisionTable table;
  table.fields = reader.fields();
  table.detailed = reader.detailed();
  DecidedSample row;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(row));
    if (!more) return table;
    table.decisions.push_back(row);
    table.samples.push_back(row.sample);
    table.names.push_back(row.name);
  }
}

// The choices that a registered method declares for the field of this name.
std::vector<std::string> choices_of(std::string_view field) {
  for (const std::string& method : method_names()) {
    for (const EvidenceField& known : method_info(method).value()->evidence) {
      if (known.name == field && !known.choices.empty())
        return {known.choices.begin(), known.choices.end()};
    }
  }
  return {};
}

}  // namespace

Result<DecisionReader> DecisionReader::open(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  return of(std::move(stream));
}

Result<DecisionReader> DecisionReader::of(ByteStream stream) {
  PACO_ASSIGN(const Format* format, detect_format(stream));
  if (format->decisions == nullptr) {
    return Error{ErrorCode::bad_format, fmt::format("{}: not a decisions file", stream.name()),
                 "give csv, JSON lines or npy as 'paco discover --out' writes it"};
  }
  PACO_ASSIGN(auto rows, format->decisions(std::move(stream), choices_of));
  return DecisionReader(std::move(rows));
}

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
  PACO_ASSIGN(const MethodInfo* own, method_info(model.method));
  if (fits(*own)) return model.method;
  for (const std::string& name : method_names()) {
    if (fits(*method_info(name).value())) return name;
  }
  return Error{ErrorCode::mismatch,
               "the decisions have not the evidence of any method that the model is for",
               "give the model that the decisions were made with"};
}

Result<DecisionTable> read_decisions(const std::string& path) {
  PACO_ASSIGN(DecisionReader reader, DecisionReader::open(path));
  return read_all(reader);
}

Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name) {
  PACO_ASSIGN(DecisionReader reader, DecisionReader::of(ByteStream::from_bytes(bytes, name)));
  return read_all(reader);
}

}  // namespace paco::io
