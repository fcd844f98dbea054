// Calls that change categories, list these changes, and send events as they happen.
#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "io/json.hpp"
#include "server/service.hpp"
#include "server/views.hpp"
#include "session/journal_rows.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kLongestActor = 256;  // bytes
constexpr std::size_t kLongestKey = 256;
constexpr std::size_t kEventsAtOnce = 256;
constexpr auto kAlive = std::chrono::seconds(15);
constexpr auto kStatus = std::chrono::seconds(1);

// An operation that is not possible in the present state is a conflict; other errors, such as those
// of the disk, keep their status.
Response refused(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
    case ErrorCode::io:
    case ErrorCode::interrupted:
    case ErrorCode::out_of_memory:
      return failure(error);
    default:
      return failure(409, "conflict", error.message, error.hint);
  }
}

// Server-sent events, read only from the journal: every event is sent once, in order.
class EventPieces final : public Pieces {
 public:
  struct Kinds {
    bool sample = true, operation = true, created = false, status = true;
  };
  EventPieces(std::shared_ptr<Stream> stream, std::uint64_t next, Kinds kinds)
      : stream_(std::move(stream)), next_(next), kinds_(kinds) {}

  bool ended() const override { return stream_->is_leaving(); }
  bool endless() const override { return true; }

  Result<std::string> next() override {
    std::string out;
    if (!begun_) out = "retry: 1000\n\n";
    begun_ = true;
    const auto now = std::chrono::steady_clock::now();
    const auto published = stream_->worker().published();
    if (next_ < published->events) {
      const auto sent = stream_->read([&](journal::JournalReader& journal) {
        return append_events(journal, *published->view, out);
      });
      if (!sent.ok()) return sent.error();
    }
    const bool changed = status_of_ != published->events;
    if (kinds_.status && changed && next_ >= published->events && now - status_sent_ >= kStatus) {
      // If events were skipped, the id spares a resuming client reading them again.
      if (next_ > 0) out += fmt::format("id: {}\n", next_ - 1);
      out +=
          fmt::format("event: status\ndata: {}\n\n",
                      stream_json(*stream_).dump(-1, ' ', false, Json::error_handler_t::replace));
      status_sent_ = now;
      status_of_ = published->events;
    }
    if (out.empty() && now - last_ >= kAlive) out = ": alive\n\n";
    if (!out.empty()) last_ = now;
    return out;
  }

 private:
  Result<void> append_events(journal::JournalReader& journal, const MemoryView& view,
                             std::string& out) {
    PACO_ASSIGN(const std::vector<journal::StoredEvent> events,
                journal.events(next_, kEventsAtOnce));
    for (const journal::StoredEvent& event : events) {
      if (const auto* sample = std::get_if<io::DecidedSample>(&event)) {
        next_ = sample->event + 1;
        const bool created = sample->verdict == Verdict::created;
        if (kinds_.sample || (kinds_.created && created))
          append(out, sample->event, "sample", event_json(*sample, view, journal));
      } else {
        const auto& operation = std::get<journal::OperationRow>(event);
        next_ = operation.event + 1;
        if (kinds_.operation) append(out, operation.event, "operation", operation_view(operation));
      }
    }
    return {};
  }
  static void append(std::string& out, std::uint64_t id, const char* kind, const Json& json) {
    out += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, kind,
                       json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  std::shared_ptr<Stream> stream_;
  std::uint64_t next_;
  const Kinds kinds_;
  bool begun_ = false;
  std::uint64_t status_of_ = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point status_sent_{}, last_ = std::chrono::steady_clock::now();
};

Result<EventPieces::Kinds> kinds_of(const Call& call) {
  EventPieces::Kinds kinds;
  if (!call.has("kinds")) return kinds;
  kinds = {false, false, false, false};
  std::string rest = call.text("kinds");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string word = rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
    if (word == "sample") {
      kinds.sample = true;
    } else if (word == "operation") {
      kinds.operation = true;
    } else if (word == "created") {
      kinds.created = true;
    } else if (word == "status") {
      kinds.status = true;
    } else {
      return Error{ErrorCode::bad_argument, fmt::format("kinds: '{}'", word),
                   "of sample, operation, created, status, with commas"};
    }
  }
  return kinds;
}

}  // namespace

Response Service::post_operation(Call& call) {
  const auto json = io::parse_json<Json>(call.request().body, "the body");
  if (!json.ok()) return failure(json.error());
  Result<Operation> operation = session::operation_from(*json);
  if (!operation.ok()) return failure(operation.error());
  if (call.user != nullptr) operation->actor = actor(call);
  if (operation->actor.empty()) operation->actor = "local";
  if (operation->actor.size() > kLongestActor) {
    return failure(400, "bad_argument",
                   fmt::format("an actor of {} bytes, at most {} are taken",
                               operation->actor.size(), kLongestActor),
                   "give a name");
  }
  return carry_out_operation(call, *operation);
}

Response Service::carry_out_operation(Call& call, const Operation& operation) {
  if (operation.key.size() > kLongestKey) {
    return failure(
        400, "bad_argument",
        fmt::format("a key of {} bytes, at most {} are taken", operation.key.size(), kLongestKey),
        "choose a shorter one");
  }
  const auto outcome = call.stream->worker().apply(operation);
  if (!outcome.ok()) return refused(outcome.error());
  return answer(operation_view(session::operation_row(*outcome)));
}

Response Service::post_undo(Call& call) {
  const auto event = number_of(call.places[1], "event");
  if (!event.ok()) return failure(event.error());
  Operation operation;
  operation.kind = OperationKind::undo;
  operation.event = *event;
  operation.actor = call.user != nullptr ? actor(call) : "local";
  operation.key = call.text("key");
  return carry_out_operation(call, operation);
}

Response Service::list_operations(Call& call) {
  const auto limit = whole(call, "limit", 100, 1000);
  if (!limit.ok()) return failure(limit.error());
  const auto before = whole(call, "before", std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::int64_t>::max());
  if (!before.ok()) return failure(before.error());
  const auto rows = call.stream->read([](journal::JournalReader& journal) {
    return journal.operations(0, std::numeric_limits<std::int32_t>::max());
  });
  if (!rows.ok()) return failure(rows.error());
  std::map<std::uint64_t, std::uint64_t> undone_by;
  // An undo that was itself undone does not count.
  for (auto row = rows->rbegin(); row != rows->rend(); ++row) {
    if (row->undoes && !undone_by.contains(row->event)) undone_by[*row->undoes] = row->event;
  }
  Json list = Json::array(), next;
  for (auto row = rows->rbegin(); row != rows->rend(); ++row) {
    if (row->event >= *before) continue;
    if (list.size() == *limit) {
      next = row->event + 1;
      break;
    }
    Json json = operation_view(*row);
    const auto undone = undone_by.find(row->event);
    json["undone_by"] = undone == undone_by.end() ? Json() : Json(undone->second);
    list.push_back(std::move(json));
  }
  return answer(Json{{"operations", std::move(list)}, {"next", next}});
}

Response Service::get_events(Call& call) {
  const auto kinds = kinds_of(call);
  if (!kinds.ok()) return failure(kinds.error());
  const std::uint64_t end = call.stream->worker().published()->events;
  Result<std::uint64_t> from = whole(call, "from", end, std::numeric_limits<std::int64_t>::max());
  if (from.ok() && !call.request().last_event_id.empty()) {
    from = number_of(call.request().last_event_id, "event");
    if (from.ok()) from = *from + 1;
  }
  if (!from.ok()) return failure(from.error());
  if (*from > end) {
    return failure(409, "conflict", fmt::format("event {} is not there yet", *from),
                   fmt::format("the stream has {} events", end));
  }
  Response response;
  response.type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.pieces = std::make_shared<EventPieces>(call.stream, *from, *kinds);
  return response;
}

}  // namespace paco::server
