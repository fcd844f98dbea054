#include "embed/parted_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "io/embedding_writer.hpp"
#include "io/safetensors.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEmbedKey = "paco.embed";

}  // namespace

PartedOutput::PartedOutput(Source source, const EmbedFileOptions& options)
    : source_(std::move(source)), options_(options) {}

std::string PartedOutput::part_path(std::size_t number) const {
  return fmt::format("{}.part-{:06}", options_.out, number);
}

Result<void> PartedOutput::write_part(const std::string& path) const {
  Json skipped = Json::array();
  for (const SkippedImage& each : current_.skipped)
    skipped.push_back(
        {{"sample", each.sample}, {"name", each.name}, {"message", each.error.message}});
  const Json json{{"identity", source_.identity},
                  {"asked", current_.asked()},
                  {"skipped", skipped},
                  {"cut", current_.cut}};
  io::SafetensorsWriter writer;
  writer.set_metadata(kEmbedKey, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  writer.add("embeddings", {current_.samples.size(), source_.dimension},
             std::span<const float>(current_.rows));
  writer.add("samples", {current_.samples.size()}, std::span<const std::int64_t>(current_.samples));
  return writer.write(path);
}

Result<PartedOutput::Part> PartedOutput::read_part(const std::string& path) const {
  const Error foreign{
      ErrorCode::mismatch,
      fmt::format("{}: this part is of another run: other weights, {}, order or batch", path,
                  source_.what),
      "run again without --resume, which starts over"};
  PACO_ASSIGN(const auto file, io::SafetensorsFile::open(path));
  const auto found = file.metadata().find(kEmbedKey);
  const Json json =
      found == file.metadata().end() ? Json() : Json::parse(found->second, nullptr, false);
  if (!json.is_object() || json.value("identity", Json()) != source_.identity) return foreign;
  Part part;
  for (const Json& each : json.value("skipped", Json::array())) {
    if (!each.is_object() || !each.value("sample", Json()).is_number_unsigned()) return foreign;
    part.skipped.push_back({each["sample"].get<std::size_t>(), each.value("name", ""),
                            Error{ErrorCode::bad_value, each.value("message", ""), ""}});
  }
  for (const Json& each : json.value("cut", Json::array())) {
    if (!each.is_number_unsigned()) return foreign;
    part.cut.push_back(each.get<std::int64_t>());
  }
  PACO_ASSIGN(part.rows, file.read<float>("embeddings"));
  PACO_ASSIGN(part.samples, file.read<std::int64_t>("samples"));
  if (part.rows.size() != part.samples.size() * source_.dimension ||
      json.value("asked", Json()) != part.asked())
    return foreign;
  return part;
}

Result<std::size_t> PartedOutput::begin() {
  for (; core::path_kind(part_path(parts_)) == core::PathKind::file; ++parts_) {
    if (!options_.resume) {
      PACO_TRY(core::remove_file(part_path(parts_)));
      continue;
    }
    PACO_ASSIGN(const Part part, read_part(part_path(parts_)));
    report_.resumed += part.samples.size();
    done_ += part.asked();
  }
  if (!options_.resume) parts_ = 0;
  if (done_ > source_.total || (done_ < source_.total && done_ % source_.batch != 0))
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: its parts do not end at a batch", options_.out),
                 "run again without --resume, which starts over"};
  last_part_ = options_.clock();
  return done_;
}

Result<void> PartedOutput::take(Rows<const float> rows, std::span<const std::size_t> samples,
                                std::span<const SkippedImage> skipped,
                                std::span<const std::size_t> cut) {
  current_.rows.insert(current_.rows.end(), rows.data, rows.data + rows.rows * rows.columns);
  current_.samples.insert(current_.samples.end(), samples.begin(), samples.end());
  current_.skipped.insert(current_.skipped.end(), skipped.begin(), skipped.end());
  current_.cut.insert(current_.cut.end(), cut.begin(), cut.end());
  if (current_.asked() < options_.part_rows &&
      options_.clock() - last_part_ < options_.part_seconds)
    return {};
  return close_part();
}

Result<void> PartedOutput::close_part() {
  PACO_TRY(write_part(part_path(parts_)));
  ++parts_;
  done_ += current_.asked();
  current_ = {};
  last_part_ = options_.clock();
  return {};
}

Error PartedOutput::stop(Error error) {
  if (current_.asked() == 0 && parts_ == 0) return error;
  if (current_.asked() > 0) {
    const Result<void> closed = close_part();
    if (!closed.ok()) return closed.error();
  }
  if (error.code == ErrorCode::interrupted) {
    error.message =
        fmt::format("interrupted after {} of {} {}", done_, source_.total, source_.what);
    error.hint = "run the same command with --resume to go on";
  }
  return error;
}

Result<EmbedReport> PartedOutput::join() {
  PACO_ASSIGN(const auto writer, io::create_embeddings(options_.out, source_.dimension));
  const auto append = [&](const Part& part) -> Result<void> {
    const std::vector<double> rows(part.rows.begin(), part.rows.end());
    std::vector<std::string> names;
    for (const std::int64_t sample : part.samples)
      names.push_back(source_.name_of(static_cast<std::size_t>(sample)));
    if (!names.empty())
      PACO_TRY(writer->append({rows.data(), part.samples.size(), source_.dimension}, names));
    report_.samples.insert(report_.samples.end(), part.samples.begin(), part.samples.end());
    report_.cut.insert(report_.cut.end(), part.cut.begin(), part.cut.end());
    report_.skipped.insert(report_.skipped.end(), part.skipped.begin(), part.skipped.end());
    return {};
  };
  for (std::size_t number = 0; number < parts_; ++number) {
    PACO_ASSIGN(const Part part, read_part(part_path(number)));
    PACO_TRY(append(part));
  }
  PACO_TRY(append(current_));
  if (options_.record) {
    PACO_TRY(io::write_embedding_record(*options_.record, options_.out));
  } else {
    PACO_TRY(io::remove_embedding_record(options_.out));
  }
  PACO_TRY(writer->commit());
  for (std::size_t number = parts_; number-- > 0;) PACO_TRY(core::remove_file(part_path(number)));
  return std::move(report_);
}

}  // namespace paco::embed
