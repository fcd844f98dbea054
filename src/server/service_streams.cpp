// Calls about whole streams: listing, creating, and downloading their files.
#include <fmt/format.h>

#include <chrono>

#include "core/files.hpp"
#include "core/try.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

// The file has already been unlinked: it is deleted with its last reader, even if the server is
// killed.
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
  if (stream.ready()) stream.advice().refresh();
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
  json["false_new"] = false_new_json(stream.model(), stream.method().name);
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
  const std::span<const std::byte> body = std::as_bytes(std::span(call.request().body));
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
  if (*what == "keep" && support_sets_.forget(name) && streams_.find(name) == nullptr)
    return nothing();
  if (*what == "archive") {
    std::string time = utc_text(
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
    std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == '.'; });
    const auto path = streams_.archive(name, time);
    if (!path.ok()) return failure(path.error());
    return answer(Json{{"archived", path->substr(path->rfind('/') + 1)}});
  }
  const Result<void> done = *what == "keep" ? streams_.give_up(name) : streams_.remove(name);
  return done.ok() ? nothing() : failure(done.error());
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

// Readers of the same state share one copy. However slow the readers are, at most two copies of a
// stream take disk space.
struct Service::Copies {
  struct Copy {
    std::uint64_t events = 0;
    std::weak_ptr<core::RandomFile> file;
  };
  static constexpr std::size_t kMost = 2;
  std::mutex mutex;  // also held while a copy is made, so that requests arriving meanwhile share it
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
