#include "bus/publisher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/event.hpp"
#include "bus/nats_log.hpp"
#include "core/try.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kBlock = 256;

Result<void> check_key(const std::string& key) {
  if (!key.empty() && key.size() <= kMostKey) return {};
  return Error{ErrorCode::bad_argument,
               fmt::format("a key of {} bytes, 1 to {} are allowed", key.size(), kMostKey),
               "give another --key-prefix"};
}

}  // namespace

Result<PublishOutcome> publish_embeddings(std::shared_ptr<Connection> connection,
                                          const StreamSettings& settings,
                                          io::EmbeddingSource& source,
                                          const PublishOptions& options, core::Progress& progress,
                                          const core::Clock& clock, const std::stop_token& stop) {
  if (source.dimension() != settings.dimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: rows have {} values, the model of stream '{}' expects {}",
                             source.name(), source.dimension(), settings.name, settings.dimension),
                 "embed support set and stream with the same backbone"};
  }
  PACO_TRY(check_key(options.key_prefix + std::to_string(~std::uint64_t{0})));
  const std::string subject = subject_of(settings.name, Part::events);
  PACO_ASSIGN(const auto publisher,
              open_publisher(std::move(connection), fmt::format("publishing {}", source.name()),
                             settings.name, options.window));
  PublishOutcome out;
  const double begun = clock();
  math::Matrix<double> rows(source.block_rows(kBlock), source.dimension());
  std::vector<std::string> ids;
  std::uint64_t row = 0;
  SampleEvent sample;
  const bool narrow = source.type() == io::ElementType::f32;
  std::optional<std::uint64_t> total = source.rows();
  if (total) total = *total - std::min(*total, options.skip);
  progress.start("publish", "samples", total);
  while (!stop.stop_requested()) {
    ids.clear();
    PACO_ASSIGN(const std::size_t count, source.read_ready(rows.view(), &ids));
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i, ++row) {
      if (row < options.skip) continue;
      const auto numbers = rows.view()[i];
      sample.embedding.assign(numbers.begin(), numbers.end());
      sample.key = options.key_prefix + std::to_string(row);
      sample.id = ids.empty() ? std::string() : ids[i];
      if (sample.id.size() > kMostId) {
        return Error{ErrorCode::bad_value,
                     fmt::format("{}: row {} has an id of {} bytes, {} are allowed", source.name(),
                                 row, sample.id.size(), kMostId),
                     "shorten it"};
      }
      std::string bytes = event_bytes(sample, narrow);
      out.bytes += bytes.size();
      PACO_TRY(publisher->put({subject, std::move(bytes), sample.key}, stop));
      ++out.samples;
    }
    progress.update(out.samples);
  }
  // Also after Ctrl-C: wait until every pending message is stored, or report the error.
  PACO_TRY(publisher->flush({}));
  progress.finish();
  out.resent = publisher->resent();
  out.seconds = clock() - begun;
  return out;
}

Result<std::uint64_t> publish_operation(const Connection& connection, const std::string& stream,
                                        const Operation& operation, const std::string& id,
                                        const std::stop_token& stop) {
  const std::string bytes = event_bytes(OperationEvent{session::operation_json(operation).dump()});
  const std::string subject = subject_of(stream, Part::events);
  std::uint64_t event = 0;
  PACO_TRY(connection.retry(fmt::format("publishing to {}", subject), stop, [&](jsErrCode* code) {
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = id.c_str();
    jsPubAck* ack = nullptr;
    const natsStatus status = js_Publish(&ack, connection.js(), subject.c_str(), bytes.data(),
                                         static_cast<int>(bytes.size()), &options, code);
    if (status == NATS_OK) event = ack->Sequence;
    if (ack != nullptr) jsPubAck_Destroy(ack);
    return status;
  }));
  return event;
}

}  // namespace paco::bus
