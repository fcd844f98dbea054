#include "io/embedding_record.hpp"

#include <fmt/format.h>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/format.hpp"
#include "io/json.hpp"

namespace paco {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostRecordBytes = std::uint64_t{1} << 20;

Error bad_record(const std::string& name, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
               "embed again; or remove the file, and what made the embeddings is not checked"};
}

}  // namespace

std::string embedding_record_to_json(const EmbeddingRecord& record) {
  const Json json{{"encoder", record.encoder},
                  {"weights", record.weights},
                  {"preprocessing", record.preprocessing},
                  {"precision", record.precision},
                  {"dimension", record.dimension}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<EmbeddingRecord> embedding_record_from_json(std::string_view text, const std::string& name) {
  PACO_ASSIGN(const Json json, io::parse_json<Json>(text, name));
  if (!json.is_object()) return bad_record(name, "is no JSON object");
  EmbeddingRecord record;
  for (const auto& [key, member] : {std::pair{"encoder", &record.encoder},
                                    {"weights", &record.weights},
                                    {"preprocessing", &record.preprocessing},
                                    {"precision", &record.precision}}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string())
      return bad_record(name, fmt::format("has no text \"{}\"", key));
    *member = found->get<std::string>();
  }
  const auto dimension = json.find("dimension");
  if (dimension == json.end() || !dimension->is_number_unsigned())
    return bad_record(name, "has no whole number \"dimension\"");
  record.dimension = dimension->get<std::size_t>();
  return record;
}

namespace io {

std::string embedding_record_path(const std::string& embeddings) {
  return split_member(embeddings).path + ".json";
}

Result<std::optional<EmbeddingRecord>> find_embedding_record(const std::string& embeddings) {
  const std::string path = embedding_record_path(embeddings);
  if (core::path_kind(path) != core::PathKind::file) return std::optional<EmbeddingRecord>();
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMostRecordBytes));
  PACO_ASSIGN(EmbeddingRecord record,
              embedding_record_from_json(
                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
  return std::optional<EmbeddingRecord>(std::move(record));
}

Result<void> write_embedding_record(const EmbeddingRecord& record, const std::string& embeddings) {
  return core::write_file(embedding_record_path(embeddings), embedding_record_to_json(record));
}

Result<void> remove_embedding_record(const std::string& embeddings) {
  const std::string path = embedding_record_path(embeddings);
  if (core::path_kind(path) != core::PathKind::file) return {};
  return core::remove_file(path);
}

}  // namespace io
}  // namespace paco
