// JSON views of samples, categories, streams and operations. The keys are promised in
// docs/reference/serve.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "journal/reader.hpp"
#include "server/stream.hpp"
#include "server/stream_worker.hpp"

namespace paco::server {

using Json = nlohmann::ordered_json;

// The decisions of one request, formatted directly as text.
std::string decisions_text(const SampleAnswer& answer, const MethodInfo& method, bool brief);

// A number, or null if it was not computed.
Json number_json(double value);
Json evidence_json(std::span<const double> evidence, const MethodInfo& method);
// The present category of a sample, after merges and moves. A sample newer than `view` gets the
// category it was answered with.
CategoryId category_now(const io::DecidedSample& sample, const MemoryView& view,
                        journal::JournalReader& journal);
// The row of a sample; its attributes and present category are read from `journal`.
Json sample_json(const io::DecidedSample& sample, const MemoryView& view,
                 journal::JournalReader& journal);
// The same in short, for live events.
Json event_json(const io::DecidedSample& sample, const MemoryView& view,
                journal::JournalReader& journal);
// {"sequence", "key", "id", "picture", "attributes"}
Json face_json(std::uint64_t sequence, journal::JournalReader& journal);
Json category_view(const MemoryView& view, const Stream& stream, CategoryId id);
Json operation_view(const journal::OperationRow& row);
Json embedding_json(const EmbeddingRecord& record);
// Fast: suggestions and warnings are counted from their last computed result.
Json stream_json(Stream& stream);
Json error_json(const Error& error);
// The promised error rate on known classes and its cost; null if the model makes no promise.
Json false_new_json(const Model& model, std::string_view method);
// Puts "branches.create" into an object "branches".
Json statistics_json(const std::vector<Statistic>& figures);

}  // namespace paco::server
