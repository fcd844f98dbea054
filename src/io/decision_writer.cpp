// Writing decisions: lines of text, or a vector of ids.
#include "io/decision_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>

#include "core/partial_file.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/decision_formats.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

// A fast path for plain names, which most are: the library needs more time for one name than for
// the rest of a line.
void append_quoted(std::string& text, std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
  if (plain) {
    text.append("\"").append(name).append("\"");
  } else {
    text += nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

// The shortest text that reads back as the same number.
void append_number(std::string& text, double x) {
  std::array<char, 32> room;
  char* const end = fmt::format_to(room.data(), FMT_COMPILE("{}"), x);
  text.append(room.data(), end);
}

void append_integer(std::string& text, std::integral auto x) {
  const fmt::format_int digits(x);
  text.append(digits.data(), digits.size());
}

void append_key(std::string& text, std::string_view key) {
  text.append(",\"").append(key).append("\":");
}

std::string_view choice(const EvidenceField& field, double value) {
  if (!(value >= 0 && value < static_cast<double>(field.choices.size()))) return {};
  return field.choices[static_cast<std::size_t>(value)];
}

class TextWriter final : public DecisionWriter {
 public:
  TextWriter(core::PartialFile file, bool csv, const MethodInfo& method, std::string further)
      : file_(std::move(file)), csv_(csv), method_(method), further_(std::move(further)) {}
  using DecisionWriter::write;
  Result<void> write(std::span<const DecidedSample> samples,
                     std::span<const std::string> further) override {
    text_.clear();
    if (csv_ && file_.size() == 0) text_ = decision_columns(method_) + further_ + "\n";
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (csv_) {
        append_csv(text_, samples[i], method_, further.empty() ? "" : further[i]);
      } else {
        append_json(text_, samples[i], method_);
      }
    }
    return file_.write(text_);
  }
  Result<std::uint64_t> sync() override {
    PACO_TRY(write({}));
    PACO_TRY(file_.sync());
    return file_.size();
  }
  Result<void> finish() override {
    PACO_TRY(write({}));
    return file_.finish();
  }
  void discard() override { file_.discard(); }

 private:
  core::PartialFile file_;
  bool csv_;
  const MethodInfo& method_;
  std::string further_;
  std::string text_;
};

// The header has the same length for every count; every sync updates the count.
class IdWriter final : public DecisionWriter {
 public:
  explicit IdWriter(core::PartialFile file) : file_(std::move(file)) {}
  Result<void> start() {
    const std::uint64_t before = header().size();
    if (file_.size() == 0) return file_.write(header());
    if (file_.size() < before || (file_.size() - before) % sizeof(std::int64_t) != 0) {
      return Error{
          ErrorCode::mismatch,
          fmt::format("{}: {} bytes are no whole number of ids", file_.path(), file_.size()),
          "give the file that was written together with the state, or another name"};
    }
    rows_ = (file_.size() - before) / sizeof(std::int64_t);
    return {};
  }
  Result<void> write(std::span<const DecidedSample> samples,
                     std::span<const std::string>) override {
    ids_.clear();
    for (const DecidedSample& one : samples) ids_.push_back(one.category);
    rows_ += ids_.size();
    return file_.write(std::as_bytes(std::span<const std::int64_t>(ids_)));
  }
  Result<std::uint64_t> sync() override {
    PACO_TRY(file_.write_at(0, header()));
    PACO_TRY(file_.sync());
    return file_.size();
  }
  Result<void> finish() override {
    PACO_TRY(file_.write_at(0, header()));
    return file_.finish();
  }
  void discard() override { file_.discard(); }

 private:
  std::string header() const {
    const std::uint64_t shape[] = {rows_};
    return npy_header(ElementType::i64, shape);
  }
  core::PartialFile file_;
  std::uint64_t rows_ = 0;
  std::vector<std::int64_t> ids_;
};

class SinkWriter final : public DecisionWriter {
 public:
  SinkWriter(std::function<Result<void>(std::string_view)> sink, const MethodInfo& method)
      : sink_(std::move(sink)), method_(method) {}
  Result<void> write(std::span<const DecidedSample> samples,
                     std::span<const std::string>) override {
    text_.clear();
    for (const DecidedSample& one : samples) append_json(text_, one, method_);
    return sink_(text_);
  }
  Result<std::uint64_t> sync() override { return std::uint64_t{0}; }
  Result<void> finish() override { return {}; }
  void discard() override {}

 private:
  std::function<Result<void>(std::string_view)> sink_;
  const MethodInfo& method_;
  std::string text_;
};

}  // namespace

std::string decision_columns(const MethodInfo& method) {
  std::string text = "sequence,sample,verdict,category,name";
  for (const EvidenceField& field : method.evidence) {
    if (!field.choices.empty() && !field.after) text += fmt::format(",{}", field.name);
  }
  text += ",score,threshold,runner_up";
  for (const EvidenceField& field : method.evidence) {
    if (field.choices.empty() && !field.after) text += fmt::format(",{}", field.name);
  }
  return text + ",prototype";
}

void append_csv(std::string& text, const DecidedSample& d, const MethodInfo& method,
                std::string_view further) {
  const auto number = [&](double x) {
    text.push_back(',');
    if (!std::isnan(x)) append_number(text, x);
  };
  append_integer(text, d.sequence);
  text.append(",").append(csv_field(d.sample)).append(",").append(verdict_name(d.verdict));
  text.push_back(',');
  append_integer(text, d.category);
  text.append(",").append(csv_field(d.name));
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const EvidenceField& field = method.evidence[i];
    if (field.choices.empty() || field.after) continue;
    text.push_back(',');
    text.append(choice(field, d.evidence[i]));
  }
  number(d.score);
  number(d.threshold);
  text.push_back(',');
  append_integer(text, d.runner_up);
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const EvidenceField& field = method.evidence[i];
    if (field.choices.empty() && !field.after) number(d.evidence[i]);
  }
  text.push_back(',');
  append_integer(text, d.prototype);
  text.append(further).push_back('\n');
}

void append_json(std::string& text, const DecidedSample& d, const MethodInfo& method) {
  const auto number = [&](std::string_view key, double x) {
    append_key(text, key);
    if (std::isfinite(x)) {
      append_number(text, x);
    } else {
      text.append("null");
    }
  };
  text.append("{\"sequence\":");
  append_integer(text, d.sequence);
  append_key(text, "sample");
  append_quoted(text, d.sample);
  append_key(text, "verdict");
  text.append("\"").append(verdict_name(d.verdict)).append("\"");
  append_key(text, "category");
  append_integer(text, d.category);
  append_key(text, "name");
  append_quoted(text, d.name);
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const EvidenceField& field = method.evidence[i];
    if (field.choices.empty() || field.after) continue;
    append_key(text, field.name);
    const std::string_view value = choice(field, d.evidence[i]);
    if (value.empty()) {
      text.append("null");
    } else {
      text.append("\"").append(value).append("\"");
    }
  }
  number("score", d.score);
  number("threshold", d.threshold);
  append_key(text, "runner_up");
  append_integer(text, d.runner_up);
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const EvidenceField& field = method.evidence[i];
    if (field.choices.empty() && !field.after) number(field.name, d.evidence[i]);
  }
  append_key(text, "prototype");
  append_integer(text, d.prototype);
  text.append("}\n");
}

DecisionWriterResult create_csv_decisions(core::PartialFile file, const MethodInfo& method,
                                          std::string further) {
  return DecisionWriterResult(
      std::make_unique<TextWriter>(std::move(file), true, method, std::move(further)));
}

DecisionWriterResult create_jsonl_decisions(core::PartialFile file, const MethodInfo& method,
                                            std::string) {
  return DecisionWriterResult(std::make_unique<TextWriter>(std::move(file), false, method, ""));
}

DecisionWriterResult create_npy_decisions(core::PartialFile file, const MethodInfo&, std::string) {
  auto writer = std::make_unique<IdWriter>(std::move(file));
  PACO_TRY(writer->start());
  return DecisionWriterResult(std::move(writer));
}

DecisionWriterResult make_decision_writer(const std::string& path, const MethodInfo& method,
                                          std::optional<std::uint64_t> length,
                                          std::string further) {
  PACO_ASSIGN(const Format* format, format_to_write(path, "decisions", [](const Format& candidate) {
                return candidate.write_decisions != nullptr;
              }));
  PACO_ASSIGN(core::PartialFile file,
              length ? core::PartialFile::resume(path, *length) : core::PartialFile::create(path));
  return format->write_decisions(std::move(file), method, std::move(further));
}

std::unique_ptr<DecisionWriter> make_json_line_writer(
    std::function<Result<void>(std::string_view)> sink, const MethodInfo& method) {
  return std::make_unique<SinkWriter>(std::move(sink), method);
}

}  // namespace paco::io
