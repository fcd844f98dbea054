#include "discover/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "data/csv.hpp"
#include "discover/names.hpp"

namespace paco {
namespace {

constexpr int kColumns = 18;

bool parse_row(std::span<const std::string_view> fields, TraceRow& row) {
  Decision& d = row.decision;
  bool good = parse_name(fields[2], route_name, 3, d.route) &&
              parse_name(fields[3], branch_name, 4, d.branch);
  const auto whole = [&](int column) {
    const auto value = parse_integer(fields[static_cast<std::size_t>(column)]);
    if (!value || *value < 0) good = false;
    return static_cast<std::uint64_t>(value.value_or(0));
  };
  const auto number = [&](int column) {
    const std::string_view field = fields[static_cast<std::size_t>(column)];
    if (field.empty()) return kNotComputed;
    const auto value = parse_number(field);
    if (!value) good = false;
    return value.value_or(kNotComputed);
  };
  d.sequence = whole(0);
  d.category = static_cast<CategoryId>(whole(1));
  d.top_cosine = number(4);
  d.margin = number(5);
  d.birth_score = number(6);
  d.attach_score = number(7);
  d.tau_birth = number(8);
  d.tau_birth_after = number(9);
  d.eta_after = number(10);
  d.categories_after = whole(11);
  d.mature_after = whole(12);
  for (int b = 0; b < 4; ++b) row.branches[b] = whole(13 + b);
  row.microseconds = number(17);
  return good;
}

}  // namespace

TraceWriter::TraceWriter(AtomicFile file, const MethodStats& before) : file_(std::move(file)) {
  std::copy(std::begin(before.branches), std::end(before.branches), branches_);
  text_.append(kTraceColumns).push_back('\n');
}

Result<TraceWriter> TraceWriter::create(const std::string& path, const MethodStats& before) {
  PACO_ASSIGN(AtomicFile file, AtomicFile::create(path));
  return TraceWriter(std::move(file), before);
}

Result<void> TraceWriter::write(std::span<const Decision> decisions, double microseconds_each) {
  auto out = std::back_inserter(text_);
  for (const Decision& d : decisions) {
    ++branches_[static_cast<int>(d.branch)];
    fmt::format_to(out, "{},{},{},{}", d.sequence, d.category, route_name(d.route),
                   branch_name(d.branch));
    for (const double x : {d.top_cosine, d.margin, d.birth_score, d.attach_score}) {
      text_.push_back(',');
      if (!std::isnan(x)) fmt::format_to(out, "{}", x);
    }
    fmt::format_to(out, ",{},{},{},{},{},{},{},{},{},{:.3f}\n", d.tau_birth, d.tau_birth_after,
                   d.eta_after, d.categories_after, d.mature_after, branches_[0], branches_[1],
                   branches_[2], branches_[3], microseconds_each);
  }
  const Result<void> done = file_.write(text_);
  text_.clear();
  return done;
}

Result<void> TraceWriter::commit() {
  PACO_TRY(file_.write(text_));
  text_.clear();
  return file_.commit();
}

Result<std::vector<TraceRow>> read_trace(const std::string& path) {
  PACO_ASSIGN(ByteStream stream, ByteStream::open(path));
  CsvReader reader(std::move(stream), false);
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: line {}: {}", path, reader.line(), what),
                 "give a trace as 'paco discover --trace' writes it"};
  };
  std::vector<std::string_view> fields;
  PACO_ASSIGN(const bool any, reader.next(fields));
  if (!any || fmt::format("{}", fmt::join(fields, ",")) != kTraceColumns) {
    return bad("the header of a trace is missing");
  }
  std::vector<TraceRow> rows;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) return rows;
    if (fields.size() != kColumns)
      return bad(fmt::format("{} fields, a trace has {}", fields.size(), kColumns));
    TraceRow row;
    if (!parse_row(fields, row)) return bad("a field cannot be read");
    rows.push_back(row);
  }
}

}  // namespace paco
