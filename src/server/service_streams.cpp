// Calls about whole streams: what there is, making one, and taking its files away.
#include <fmt/format.h>

#include <chrono>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/embeddings.hpp"
#include "io/json.hpp"
#include "io/labels.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

std::span<const std::byte> bytes_of(const std::string& body) {
  return std::as_bytes(std::span(body));
}

// "all", "none" or a number; `durability` likewise in words.
Result<NewStream> new_stream(const std::string& method, const std::string& embeddings,
                             const std::string& durability) {
  NewStream out;
  out.method = method;
  if (embeddings == "none") {
    out.journal.embeddings = 0;
  } else if (embeddings != "all") {
    PACO_ASSIGN(const std::uint64_t count, number_of(embeddings, "number of embeddings"));
    out.journal.embeddings = count;
  }
  if (durability != "full" && durability != "relaxed") {
    return Error{ErrorCode::bad_argument, fmt::format("durability '{}'", durability),
                 "full or relaxed"};
  }
  if (durability == "relaxed") out.journal.durability = JournalOptions::Durability::relaxed;
  return out;
}

// The file has no name any more: it is gone when nobody reads it, whatever becomes of the server.
class FilePieces final : public Pieces {
 public:
  explicit FilePieces(std::shared_ptr<core::RandomFile> file) : file_(std::move(file)) {}
  Result<std::string> next() override {
    std::string piece(
        static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, file_->size() - at_)), '\0');
    PACO_TRY(file_->read_at(at_, std::as_writable_bytes(std::span(piece))));
    at_ += piece.size();
    return piece;
  }
  bool ended() const override { return at_ == file_->size(); }

 private:
  static constexpr std::uint64_t kPiece = 256 * 1024;
  std::shared_ptr<core::RandomFile> file_;
  std::uint64_t at_ = 0;
};

Json snapshot_json(const journal::SnapshotInfo& info) {
  return {{"event", info.event},
          {"sequence", info.sequence},
          {"digest", info.digest},
          {"size", info.size}};
}

struct CalibrationRequest {
  CalibrationOptions options;
  NewStream stream;
  std::optional<math::Matrix<double>> embeddings;
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
};

Result<void> read_support(const Json& json, CalibrationRequest& out) {
  if (!json.is_object() || !json.contains("embeddings") || !json.contains("labels") ||
      json.size() != 2) {
    return Error{ErrorCode::bad_argument, "'support' has not exactly 'embeddings' and 'labels'",
                 R"({"embeddings": [[...], ...], "labels": ["wren", ...]})"};
  }
  // Both are read by what reads files, which knows what to say about each fault.
  std::string lines;
  for (const Json& row : json["embeddings"]) lines += row.dump() + "\n";
  PACO_ASSIGN(const auto source, io::open_embeddings(bytes_of(lines), "'embeddings'"));
  PACO_ASSIGN(out.embeddings, io::read_embeddings(*source));
  const std::string list = json["labels"].dump();
  PACO_ASSIGN(io::Labels labels, io::parse_labels(bytes_of(list), "'labels'"));
  out.labels = std::move(labels.ids);
  out.names = std::move(labels.names);
  return {};
}

Result<CalibrationRequest> calibration_request(const std::string& body) {
  CalibrationRequest out;
  PACO_ASSIGN(const Json json, io::parse_json<Json>(body.empty() ? "{}" : body, "the body"));
  if (!json.is_object()) return Error{ErrorCode::bad_format, "the body is no JSON object", ""};
  std::string method = "paco", embeddings = "all", durability = "full";
  for (const auto& [key, value] : json.items()) {
    const std::string text = value.is_string()
                                 ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (key == "method") {
      method = text;
    } else if (key == "embeddings") {
      embeddings = text;
    } else if (key == "durability") {
      durability = text;
    } else if (key == "settings" && value.is_object()) {
      for (const auto& [name, setting] : value.items())
        out.options.settings[name] =
            setting.is_string() ? setting.get<std::string>() : setting.dump();
    } else if (key == "support") {
      PACO_TRY(read_support(value, out));
    } else {
      return Error{ErrorCode::bad_argument, fmt::format("an unknown or ill-formed '{}'", key),
                   "method, settings, embeddings, durability, support"};
    }
  }
  out.options.method = method;
  PACO_TRY(method_info(method));
  PACO_ASSIGN(out.stream, new_stream("", embeddings, durability));
  return out;
}

}  // namespace

std::vector<std::shared_ptr<Stream>> Service::streams_of(const Call& call) const {
  auto all = streams_.all();
  std::erase_if(all, [&](const auto& stream) {
    return call.user != nullptr && !call.user->sees(stream->name());
  });
  return all;
}

Response Service::list_streams(Call& call) {
  Json list = Json::array();
  for (const auto& stream : streams_of(call)) list.push_back(stream_json(*stream));
  return answer(Json{{"streams", std::move(list)}});
}

Response Service::show_stream(Call& call) {
  Stream& stream = *call.stream;
  if (stream.ready()) stream.insight();
  Json json = stream_json(stream);
  if (!stream.ready()) return answer(json);
  std::vector<Statistic> figures;
  stream.worker().ask([&](Session& session) { figures = session.method().statistics(); });
  json["figures"] = statistics_json(figures);
  Json evidence = Json::array(), operations = Json::array();
  for (const EvidenceField& field : stream.method().evidence) {
    evidence.push_back({{"name", field.name},
                        {"unit", field.unit},
                        {"meaning", field.meaning},
                        {"choices", field.choices}});
  }
  for (const OperationKind kind : stream.method().operations)
    operations.push_back(operation_name(kind));
  json["evidence"] = std::move(evidence);
  json["operations"] = std::move(operations);
  const auto info = stream.read([](journal::JournalReader& journal) { return journal.info(); });
  if (!info.ok()) return failure(info.error());
  const bool kept = stream.read([](journal::JournalReader& journal) {
    return journal.settings().retention.embeddings != std::uint64_t{0};
  });
  json["embeddings_kept"] = kept;
  const Delays delays = stream.delays();
  json["delays"] = {{"count", delays.count}, {"p50_ms", delays.p50_ms}, {"p99_ms", delays.p99_ms}};
  json["journal"] = {{"bytes", info->file_bytes + info->log_bytes},
                     {"durability", stream.durable() ? "full" : "relaxed"}};
  return answer(json);
}

Response Service::put_stream(Call& call) {
  const auto settings = new_stream(
      call.text("method"), call.text("embeddings", "all"),
      call.text("durability",
                options_.durability == JournalOptions::Durability::full ? "full" : "relaxed"));
  if (!settings.ok()) return failure(settings.error());
  const std::span<const std::byte> body = bytes_of(call.request().body);
  auto model = model_from_bytes({body.begin(), body.end()}, "the body");
  if (!model.ok()) return failure(model.error());
  auto made = streams_.create(call.places[0],
                              std::make_shared<const Model>(std::move(model).value()), *settings);
  if (!made.ok()) return failure(made.error());
  return answer(stream_json(*made->stream), made->is_new ? 201 : 200);
}

Response Service::delete_stream(Call& call) {
  const auto what = choice(call, "journal", {"keep", "archive", "delete"});
  if (!what.ok()) return failure(what.error());
  const std::string& name = call.places[0];
  call.stream.reset();
  if (*what == "archive") {
    std::string time = utc_text(
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
    std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == '.'; });
    const auto path = streams_.archive(name, time);
    if (!path.ok()) return failure(path.error());
    return answer(Json{{"archived", path->substr(path->rfind('/') + 1)}});
  }
  const Result<void> done = *what == "keep" ? streams_.give_up(name) : streams_.remove(name);
  if (!done.ok()) return failure(done.error());
  Response response;
  response.status = 204;
  return response;
}

Response Service::rename_stream(Call& call) {
  const std::string& name = call.places[0];
  const std::string to = call.text("to");
  if (!is_stream_name(to)) {
    return failure(400, "bad_argument", fmt::format("'{}' is no name of a stream", to),
                   "?to=NAME, 1 to 64 of letters, digits, '.', '_', '-'");
  }
  if (call.user != nullptr && !call.user->sees(to)) {
    return failure(403, "forbidden",
                   fmt::format("'{}' may not see the stream '{}'", call.user->name(), to),
                   "ask the server's operator for a token for it");
  }
  call.stream.reset();
  const Result<void> done = streams_.rename(name, to);
  if (!done.ok()) return failure(done.error());
  const auto stream = streams_.find(to);
  if (stream == nullptr) return failure(404, "not_found", fmt::format("'{}' is gone", to));
  return answer(stream_json(*stream));
}

Response Service::put_support(Call& call) {
  if (call.stream != nullptr && call.stream->ready())
    return failure(409, "conflict", "the stream lives already", "choose another name");
  const auto source = io::open_embeddings(bytes_of(call.request().body), "the body");
  if (!source.ok()) return failure(source.error());
  auto rows = io::read_embeddings(**source);
  if (!rows.ok()) return failure(rows.error());
  const Json json{{"rows", rows->rows()}, {"dimension", rows->columns()}};
  const std::lock_guard lock(waiting_mutex_);
  if (!waiting_.contains(call.places[0]) && waiting_.size() >= 8)
    return failure(503, "unavailable", "too many support sets wait for their calibration",
                   "calibrate one of them first");
  waiting_[call.places[0]].embeddings = std::move(rows).value();
  return answer(json);
}

Response Service::put_labels(Call& call) {
  if (call.stream != nullptr && call.stream->ready())
    return failure(409, "conflict", "the stream lives already", "choose another name");
  auto labels = io::parse_labels(bytes_of(call.request().body), "the body");
  if (!labels.ok()) return failure(labels.error());
  const Json json{{"rows", labels->ids.size()}, {"classes", labels->names.size()}};
  const std::lock_guard lock(waiting_mutex_);
  if (!waiting_.contains(call.places[0]) && waiting_.size() >= 8)
    return failure(503, "unavailable", "too many support sets wait for their calibration",
                   "calibrate one of them first");
  waiting_[call.places[0]].labels.emplace(std::move(labels->ids), std::move(labels->names));
  return answer(json);
}

Response Service::calibrate_stream(Call& call) {
  const std::string& name = call.places[0];
  auto request = calibration_request(call.request().body);
  if (!request.ok()) return failure(request.error());
  auto support = std::make_shared<Support>();
  if (request->embeddings) {
    support->embeddings = std::move(*request->embeddings);
    support->labels = std::move(request->labels);
    support->names = std::move(request->names);
  } else {
    const std::lock_guard lock(waiting_mutex_);
    const auto found = waiting_.find(name);
    if (found == waiting_.end() || !found->second.embeddings || !found->second.labels) {
      return failure(409, "conflict", fmt::format("'{}' has no support set with labels yet", name),
                     "PUT .../support/embeddings and .../support/labels first, or send 'support'");
    }
    support->embeddings = std::move(*found->second.embeddings);
    support->labels = std::move(found->second.labels->first);
    support->names = std::move(found->second.labels->second);
    waiting_.erase(found);
  }
  if (support->embeddings.rows() != support->labels.size()) {
    return failure(400, "bad_shape",
                   fmt::format("{} embeddings with {} labels", support->embeddings.rows(),
                               support->labels.size()),
                   "give one label for every row");
  }
  const auto begun =
      streams_.calibrate(name, std::move(support), request->options, request->stream);
  if (!begun.ok()) return failure(begun.error());
  return answer(stream_json(**begun), 202);
}

Response Service::get_model(Call& call) {
  const auto bytes =
      call.stream->read([](journal::JournalReader& journal) { return journal.model(); });
  if (!bytes.ok()) return failure(bytes.error());
  Response response;
  response.type = "application/octet-stream";
  response.body.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  response.headers.emplace_back(
      "Content-Disposition", fmt::format("attachment; filename=\"{}.paco\"", call.stream->name()));
  return response;
}

// Readers of the same state share one copy. However slow they are, two of a stream are all the room
// that they can take.
struct Service::Copies {
  struct Copy {
    std::uint64_t events = 0;
    std::weak_ptr<core::RandomFile> file;
  };
  static constexpr std::size_t kMost = 2;
  std::mutex mutex;  // also while one is made: those that come meanwhile share it
  std::map<std::string, std::vector<Copy>> of_stream;
};

std::unique_ptr<Service::Copies, void (*)(Service::Copies*)> Service::make_copies() {
  return {new Copies, [](Copies* copies) { delete copies; }};
}

Result<std::shared_ptr<core::RandomFile>> Service::copy_of(Stream& stream) {
  const std::lock_guard lock(copies_->mutex);
  auto& copies = copies_->of_stream[stream.name()];
  std::erase_if(copies, [](const Copies::Copy& copy) { return copy.file.expired(); });
  const std::uint64_t events = stream.worker().published()->events;
  for (const Copies::Copy& copy : copies) {
    if (auto file = copy.events == events ? copy.file.lock() : nullptr) return file;
  }
  if (copies.size() >= Copies::kMost) {
    return Error{ErrorCode::interrupted, "others are taking earlier copies of this journal",
                 "ask again when they have them"};
  }
  const std::string path = streams_.copy_path(stream.name());
  PACO_ASSIGN(journal::JournalReader reader, stream.read([](journal::JournalReader& journal) {
    return journal.another_reader();
  }));
  const Result<void> copied = reader.copy_to(path);
  auto file = copied.ok() ? core::RandomFile::open(path) : Result<core::RandomFile>(copied.error());
  (void)core::remove_file(path);
  if (!file.ok()) return file.error();
  auto shared = std::make_shared<core::RandomFile>(std::move(file).value());
  copies.push_back({events, shared});
  return shared;
}

Response Service::get_journal(Call& call) {
  auto file = copy_of(*call.stream);
  if (!file.ok()) return failure(file.error());
  Response response;
  response.type = "application/vnd.sqlite3";
  response.headers.emplace_back(
      "Content-Disposition",
      fmt::format("attachment; filename=\"{}.journal\"", call.stream->name()));
  response.pieces = std::make_shared<FilePieces>(std::move(file).value());
  return response;
}

Response Service::list_snapshots(Call& call) {
  const auto all =
      call.stream->read([](journal::JournalReader& journal) { return journal.snapshots(); });
  if (!all.ok()) return failure(all.error());
  Json list = Json::array();
  for (const journal::SnapshotInfo& info : *all) list.push_back(snapshot_json(info));
  return answer(Json{{"snapshots", std::move(list)}});
}

Response Service::make_snapshot(Call& call) {
  Result<void> done;
  call.stream->worker().ask([&](Session& session) { done = session.checkpoint(); });
  if (!done.ok()) return failure(done.error());
  const auto all =
      call.stream->read([](journal::JournalReader& journal) { return journal.snapshots(); });
  if (!all.ok()) return failure(all.error());
  if (all->empty()) return failure(500, "internal", "the snapshot is not there");
  return answer(snapshot_json(all->back()), 201);
}

}  // namespace paco::server
