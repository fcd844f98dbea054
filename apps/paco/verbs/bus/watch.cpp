// `paco bus watch`: the committed decisions of a stream, as lines or as the file that
// `paco discover` writes.
#include <fmt/format.h>

#include "bus/committed_group.hpp"
#include "bus/nats_log.hpp"
#include "bus/settings.hpp"
#include "core/printable.hpp"
#include "core/try.hpp"
#include "io/decision_file.hpp"
#include "verbs/bus/bus_parts.hpp"

namespace paco {
namespace {

struct BusWatchArguments {
  bus::ConnectOptions server;
  std::string stream, out;
  std::int64_t from = -1;
  std::uint64_t count = 0;
  bool current = false;
};

io::DecidedSample shown(io::DecidedSample sample) {
  sample.sample = io::shown_name(sample);
  return sample;
}

std::string json_line(const bus::Record& record, std::uint64_t event, bool repeated,
                      const MethodInfo& method) {
  Json json = {{"event", event}};
  if (record.kind != bus::RecordKind::decided) {
    json["kind"] = record.kind == bus::RecordKind::operated ? "operated" : "refused";
    if (!record.key.empty()) json["key"] = record.key;
    json["text"] = record.text;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  json["kind"] = "decided";
  json["key"] = record.key;
  json["repeated"] = repeated;
  std::string decision;
  io::append_json(decision, shown(record), method);
  while (decision.ends_with('\n')) decision.pop_back();
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  line.pop_back();
  return line + ",\"decision\":" + decision + "}\n";
}

class Watch {
 public:
  Watch(Context& context, const BusWatchArguments& request)
      : context_(context), request_(request) {}

  Result<void> run() {
    PACO_ASSIGN(const auto connection, bus::Connection::open(request_.server));
    PACO_ASSIGN(const bus::StreamSettings settings,
                bus::read_settings(*connection, request_.stream, context_.stop));
    PACO_ASSIGN(method_, method_info(settings.method));
    bus::NatsStreamLog log(connection, request_.stream);
    PACO_ASSIGN(const std::uint64_t message, first_message(log));
    if (!request_.out.empty()) {
      PACO_ASSIGN(writer_, io::make_decision_writer(request_.out, *method_));
    }
    bus::OrderedReader reader(log.decisions(),
                              bus::jetstream_of(request_.stream, bus::Part::decisions), message,
                              std::chrono::steady_clock::now);
    std::vector<bus::LogMessage> messages;
    while (!context_.stop.stop_requested() && !full()) {
      if (request_.current && next_ > last_) break;
      messages.clear();
      PACO_TRY(reader.take(messages, 64, 200, context_.stop));
      for (const bus::LogMessage& one : messages) {
        PACO_ASSIGN(const bus::CommittedGroup committed,
                    bus::parse_committed(request_.stream, one));
        PACO_TRY(take(committed.group));
      }
    }
    if (writer_ == nullptr) return {};
    if (context_.stop.stop_requested()) {
      writer_->discard();
      return {};
    }
    PACO_TRY(writer_->finish());
    return print_result(
        context_, {{"events", shown_}, {"samples", samples_}, {"out", request_.out}},
        fmt::format("{}: {} samples of {} events\n", request_.out, samples_, shown_));
  }

 private:
  bool full() const { return request_.count > 0 && shown_ >= request_.count; }

  // Sets the event to begin with, and returns its message.
  Result<std::uint64_t> first_message(bus::StreamLog& log) {
    PACO_ASSIGN(const auto newest, bus::newest_group(log, request_.stream, context_.stop));
    last_ = newest ? newest->group.last() : 0;
    const bool whole = request_.from < 0 && (request_.current || !request_.out.empty());
    next_ = request_.from >= 0
                ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(request_.from))
            : whole ? 1
                    : last_ + 1;
    if (next_ > last_) return newest ? newest->sequence + 1 : 1;
    PACO_ASSIGN(const bus::CommittedGroup found,
                bus::group_with(log, request_.stream, next_, newest->sequence, context_.stop));
    return found.sequence;
  }

  Result<void> take(const bus::Group& group) {
    std::uint64_t event = group.first;
    for (const bus::Record& record : group.records) {
      const std::uint64_t at = event++;
      // A repeated key has its earlier decision, with an earlier sequence number.
      const bool fresh =
          record.kind == bus::RecordKind::decided && (!known_ || record.sequence >= sequence_);
      if (fresh) {
        sequence_ = record.sequence + 1;
        known_ = true;
      }
      if (at < next_ || full()) continue;
      next_ = at + 1;
      ++shown_;
      PACO_TRY(show(record, at, fresh));
    }
    return {};
  }

  Result<void> show(const bus::Record& record, std::uint64_t event, bool fresh) {
    if (writer_ == nullptr) {
      return write_stdout(
          context_, context_.json
                        ? json_line(record, event, !fresh, *method_)
                        : fmt::format("{:>9}  {}\n", event, core::printable(record.describe())));
    }
    if (!fresh) return {};
    ++samples_;
    const io::DecidedSample sample = shown(record);
    return writer_->write({&sample, 1});
  }

  Context& context_;
  const BusWatchArguments& request_;
  const MethodInfo* method_ = nullptr;
  std::unique_ptr<io::DecisionWriter> writer_;
  std::uint64_t next_ = 1,
                last_ = 0;  // next event to show; last committed event at the start
  std::uint64_t shown_ = 0, samples_ = 0, sequence_ = 0;
  bool known_ = false;
};

}  // namespace

void add_bus_watch(Options& verb, Context& context) {
  Options& part = verb.add_part(
      "watch",
      "Show what is decided in a stream on the bus, as it is decided.\nEvery event once, also if "
      "servers go away. With --json each line is one object; with --out a file as 'paco discover' "
      "writes it.");
  auto r = std::make_shared<BusWatchArguments>();
  part.add_text("--stream", r->stream, "its name").required();
  add_count(part, "--from", r->from, -1, kNoLimit,
            "event to begin with; -1: the present end, with --out or --current the first");
  add_count(part, "--count", r->count, 0, kNoLimit, "end after so many events; 0: never");
  part.add_flag("--current", r->current, "end at the event that is the last one now");
  part.add_text("--out", r->out, "decisions as a csv, jsonl or npy file");
  add_bus_server(part, r->server);
  finish_verb(part, context, [&context, r] {
    context.json_lines = true;
    return Watch(context, *r).run();
  });
}

}  // namespace paco
