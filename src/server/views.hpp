// What the server shows, as JSON: samples, categories, streams, operations. The keys are promised
// in docs/reference/serve.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "journal/reader.hpp"
#include "server/stream.hpp"
#include "server/stream_worker.hpp"

namespace paco::server {

using Json = nlohmann::ordered_json;

// The decisions of one request, written out at once.
std::string decisions_text(const SampleAnswer& answer, const MethodInfo& method, bool brief);

// A number, or null where it was not computed.
Json number_json(double value);
Json evidence_json(std::span<const double> evidence, const MethodInfo& method);
// The category that a sample belongs to today, after merges and moves. One that came after the view
// was taken is shown with what it was answered.
CategoryId category_now(const io::DecidedSample& sample, const MemoryView& view,
                        journal::JournalReader& journal);
// What a sample's row shows; `journal` has its attributes and where it belongs now.
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
// Cheap: suggestions and warnings are counted as they were when somebody last asked for them.
Json stream_json(Stream& stream);
Json error_json(const Error& error);
// What a model promises about known classes, and what that costs; null if it promises nothing.
Json false_new_json(const Model& model, std::string_view method);
// "branches.create" as an object within an object.
Json statistics_json(const std::vector<Statistic>& figures);

}  // namespace paco::server
