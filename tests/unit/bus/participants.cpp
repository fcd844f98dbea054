#include "participants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bus/committed_group.hpp"
#include "bus/event.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::bus {
namespace {

constexpr const char* kStream = "birds";

Append sample(const std::string& key, std::vector<double> embedding, Broken broken) {
  const SampleEvent event{key, {}, {}, {}, std::move(embedding)};
  Append out{subject_of(kStream, Part::events), event_bytes(event, false), key};
  if (broken == Broken::sample_with_message_id) out.id = key;
  return out;
}

std::unique_ptr<ReliablePublisher> publisher_of(World& world,
                                                const std::shared_ptr<Endpoint>& endpoint) {
  ReliablePublisher::Options options;
  options.what = endpoint->name();
  options.window = 4;
  return std::make_unique<ReliablePublisher>(
      simulated_appender(world.servers, endpoint), [&world] { return world.scheduler.now(); },
      std::move(options));
}

}  // namespace

Participant::Participant(World& world, std::string name)
    : world_(world),
      endpoint_(std::make_shared<Endpoint>(world.scheduler, name, world.rates, world.counts)),
      name_(std::move(name)),
      pace_ms_(world.scheduler.chance().between(3, 60)) {
  world.participants.push_back(this);
}

void Participant::trace(const std::string& text) {
  if (world_.scheduler.tracing()) world_.scheduler.trace(name_ + " " + text);
}

void Participant::begin() { schedule(); }

void Participant::schedule() {
  Chance& chance = world_.scheduler.chance();
  world_.scheduler.after(chance.between(1, 2 * pace_ms_), [this] { turn(); });
}

void Participant::turn() {
  schedule();
  if (endpoint_->still() || world_.scheduler.milliseconds() < paused_until_) return;
  const Result<void> done = step();
  if (endpoint_->killed) {
    end_process("was killed within a call");
  } else if (!done.ok()) {
    if (done.error().code == ErrorCode::mismatch || done.error().code == ErrorCode::bad_format)
      world_.laws.violate("replicas agree: " + done.error().message);
    end_process("ended: " + done.error().message);
  }
}

void Participant::end_process(const std::string& what) {
  trace(what);
  if (endpoint_->still()) {
    endpoint_->killed = true;  // and again when the call has returned
    return;
  }
  endpoint_->killed = false;
  end();
  paused_until_ = world_.scheduler.milliseconds() + world_.scheduler.chance().between(0, 1500);
}

void Participant::pause(int milliseconds) {
  ++world_.counts["pauses"];
  trace(fmt::format("is paused for {} ms", milliseconds));
  paused_until_ = world_.scheduler.milliseconds() + milliseconds;
}

void Participant::cut_off(int milliseconds) {
  ++world_.counts["partitions"];
  trace(fmt::format("is cut off for {} ms", milliseconds));
  endpoint_->cut_off = true;
  world_.scheduler.after(milliseconds, [this] { heal(); });
}

void Participant::heal() {
  endpoint_->cut_off = false;
  world_.servers.events.send_all();
  world_.servers.decisions.send_all();
}

SimulatedReplica::SimulatedReplica(World& world, const std::string& name, int digest_every)
    : Participant(world, name),
      requests_(world.scheduler.chance().between(0, 6)),
      state_(world.broken) {
  settings_.name = kStream;
  settings_.dimension = 1;
  settings_.digest_every = static_cast<std::uint64_t>(digest_every);
}

Result<void> SimulatedReplica::start() {
  log_ = std::make_unique<SimulatedStreamLog>(world_.servers, endpoint_);
  ReplicaOptions options;
  options.name = name();
  options.operations_alone = world_.broken != Broken::operation_not_alone;
  options.on_committed = [this](const Group& group) {
    world_.laws.observe(name(), group);
    answers_.commit(group, [this](const std::string& key, const Record& record, bool) {
      take_answer(key, record);
    });
  };
  options.note = [this](const std::string& text) { trace(text); };
  replica_ = std::make_unique<Replica>(*log_, settings_, state_, std::move(options));
  PACO_TRY(replica_->start({}));
  answers_.start(replica_->committed(), replica_->folded().samples);
  publisher_ = publisher_of(world_, endpoint_);
  trace(fmt::format("starts from event {}", replica_->folded().event + 1));
  return {};
}

Result<void> SimulatedReplica::step() {
  if (!replica_) PACO_TRY(start());
  PACO_TRY(replica_->step({}));
  if (requests_ > 0 && !publisher_->full() && world_.scheduler.chance().once_in(10)) ask();
  PACO_TRY(publisher_->step());
  if (world_.scheduler.chance().once_in(10)) durable_ = state_.journal_events();
  return {};
}

// As ServedReplica::publish().
void SimulatedReplica::ask() {
  --requests_;
  Chance& chance = world_.scheduler.chance();
  const std::string key = fmt::format("k{}", chance.between(0, 25));
  answers_.wait_for(key, key);
  trace(fmt::format("is asked for '{}'", key));
  const std::optional<Decision> seen = state_.decision_of(key);
  if (!seen) {
    publisher_->add(sample(key, {chance.between(0, 12) / 2.0}, world_.broken));
  } else if (answers_.committed(seen->sequence) || world_.broken == Broken::answer_from_journal) {
    Record record;
    record.kind = RecordKind::decided;
    static_cast<Decision&>(record) = *seen;
    answers_.resolve(key, record, true,
                     [this](const std::string& waiter, const Record& found, bool) {
                       take_answer(waiter, found);
                     });
  }
}

void SimulatedReplica::take_answer(const std::string& key, const Record& record) {
  trace(fmt::format("answers '{}'", key));
  world_.laws.answered(name(), key, record, world_.servers);
}

void SimulatedReplica::end() {
  answers_ = {};  // their senders see that the connection ends
  publisher_.reset();
  replica_.reset();
  log_.reset();
}

void SimulatedReplica::kill(Loss loss, const SimulatedReplica* snapshot) {
  if (endpoint_->still()) return;  // its state is in use: it is killed another time
  ++world_.counts[loss == Loss::nothing ? "kills" : "kills that lose what was not durable"];
  end_process(loss == Loss::nothing       ? "is killed"
              : loss == Loss::not_durable ? "is killed and loses what was not durable"
              : snapshot != nullptr       ? "is killed and starts from a snapshot"
                                          : "is killed and loses its journal");
  if (loss == Loss::not_durable) state_.lose_after(durable_);
  if (loss == Loss::all) {
    state_ = snapshot != nullptr ? snapshot->state_ : ToyState(world_.broken);
    durable_ = 0;
  }
}

SimulatedPublisher::SimulatedPublisher(World& world, const std::string& name)
    : Participant(world, name) {
  Chance& chance = world.scheduler.chance();
  for (int i = chance.between(5, 25); i > 0; --i) {
    // Other publishers have the same keys, with other numbers.
    const std::string key = fmt::format("k{}", chance.between(0, 25));
    const double value = chance.between(0, 12) / 2.0;
    switch (chance.between(0, 11)) {
      case 0:
        messages_.push_back(sample(key, {std::nan("")}, world.broken));
        break;
      case 1:
        messages_.push_back(sample(key, {value, value}, world.broken));
        break;
      case 2:
        messages_.push_back(
            {subject_of(kStream, Part::events), "no message of the bus", "foreign"});
        break;
      case 3:
      case 4: {
        Operation operation;
        operation.category = chance.between(0, 4);
        operation.name = fmt::format("name {}", chance.between(0, 3));
        const std::string id = fmt::format("{}-{}", name, i);
        operation.actor = id;
        messages_.push_back({subject_of(kStream, Part::events),
                             event_bytes(OperationEvent{session::operation_json(operation).dump()}),
                             id, id});
        break;
      }
      default:
        messages_.push_back(sample(key, {value}, world.broken));
    }
  }
}

Result<void> SimulatedPublisher::step() {
  if (done_) return {};
  if (!publisher_) publisher_ = publisher_of(world_, endpoint_);
  while (next_ < messages_.size() && !publisher_->full() && !world_.scheduler.chance().once_in(3))
    publisher_->add(messages_[next_++]);
  PACO_TRY(publisher_->step());
  if (next_ == messages_.size() && publisher_->idle()) {
    trace("has an answer for every message");
    done_ = true;
    for (const Append& message : messages_) world_.servers.acknowledged.insert(message.name);
  }
  return {};
}

void SimulatedPublisher::end() {
  publisher_.reset();
  next_ = 0;
  done_ = false;
}

void SimulatedPublisher::kill() {
  ++world_.counts["kills of publishers"];
  end_process("is killed and publishes everything again");
}

Result<void> SimulatedWatch::step() {
  if (!reader_) {
    log_ = std::make_unique<SimulatedStreamLog>(world_.servers, endpoint_);
    reader_ = std::make_unique<OrderedReader>(log_->decisions(), "decisions", 1,
                                              [this] { return world_.scheduler.now(); });
  }
  std::vector<LogMessage> messages;
  PACO_TRY(reader_->take(messages, 8, 0, {}));
  for (const LogMessage& message : messages) {
    PACO_ASSIGN(const CommittedGroup committed, parse_committed(kStream, message));
    const Group& group = committed.group;
    if (group.first != events_ + 1) {
      return Error{ErrorCode::mismatch,
                   fmt::format("message {} begins with event {}, {} is next", message.sequence,
                               group.first, events_ + 1),
                   ""};
    }
    world_.laws.observe(name(), group);
    events_ = group.last();
  }
  return {};
}

void SimulatedWatch::end() {
  reader_.reset();
  log_.reset();
  events_ = 0;
}

}  // namespace paco::bus
