#include "simulated_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/record.hpp"

namespace paco::bus {
namespace {

constexpr int kClockSkewMs = 400;  // between the servers

Error away(const std::string& name) {
  return {ErrorCode::interrupted, name + " is killed in a call", ""};
}

LogMessage message_at(const std::vector<SimulatedLog::Stored>& messages, std::uint64_t sequence) {
  const auto& bytes = messages[sequence - 1].bytes;
  return {sequence, *bytes, bytes};
}

}  // namespace

bool Endpoint::happens(int once_in, const char* fault) {
  if (!chance().once_in(once_in)) return false;
  count(fault);
  return true;
}

void Endpoint::stand_still(int milliseconds) {
  const int end = scheduler_.milliseconds() + milliseconds;
  ++depth_;
  while (scheduler_.run_next(end)) {
  }
  --depth_;
}

void Endpoint::maybe_stand_still() {
  if (depth_ > 0 || !happens(rates_.pause_in_call, "pauses within a call")) return;
  const int span = chance().once_in(3) ? chance().between(500, 4000) : chance().between(1, 300);
  if (scheduler_.tracing())
    scheduler_.trace(fmt::format("{} stands still for {} ms within a call", name_, span));
  stand_still(span);
}

bool Endpoint::wait_for_servers() {
  while (cut_off && !killed) stand_still(50);
  return !killed;
}

SimulatedLog::SimulatedLog(Scheduler& scheduler, Broken broken, int id_window_ms)
    : scheduler_(scheduler), broken_(broken), id_window_ms_(id_window_ms) {
  for (std::size_t i = 0; i < servers_.size(); ++i)
    servers_[i].clock_ms = static_cast<int>(i) * kClockSkewMs;
}

AppendAnswer SimulatedLog::append(const Append& message, Chance& chance, const FaultRates& rates,
                                  FaultCounts& counts) {
  AppendAnswer answer;
  const std::uint64_t last = servers_[0].messages.size();
  const int now = scheduler_.milliseconds();
  if (message.expected_last && *message.expected_last != last &&
      broken_ != Broken::append_without_expected_last) {
    answer.kind = AppendAnswer::Kind::wrong_last;
    answer.error = Error{ErrorCode::io, "wrong last sequence", ""};
    return answer;
  }
  if (!message.id.empty()) {
    if (ids_without_message_.contains(message.id)) {
      answer.kind = AppendAnswer::Kind::known_id;
      return answer;
    }
    if (!servers_[0].ids.contains(message.id) && chance.once_in(rates.known_id_without_message)) {
      ++counts["ids known without their message"];
      ids_without_message_.insert(message.id);
      return append(message, chance, rates, counts);
    }
  }
  const auto bytes = std::make_shared<const std::string>(message.bytes);
  bool stored = false;
  for (Server& server : servers_) {
    const auto known = message.id.empty() ? server.ids.end() : server.ids.find(message.id);
    if (known != server.ids.end() && known->second.first + id_window_ms_ > now + server.clock_ms) {
      if (&server == &servers_[0]) answer.sequence = known->second.second;
      continue;
    }
    server.messages.push_back({bytes, message.name});
    if (!message.id.empty()) server.ids[message.id] = {now, server.messages.size()};
    if (&server == &servers_[0]) {
      stored = true;
      answer.sequence = server.messages.size();
    }
  }
  answer.kind = stored ? AppendAnswer::Kind::stored : AppendAnswer::Kind::known_id;
  send_all();
  return answer;
}

void SimulatedLog::subscribe(const std::shared_ptr<Outgoing>& outgoing) {
  subscriptions_.push_back(outgoing);
  pump_soon(outgoing);
}

void SimulatedLog::send_all() {
  std::erase_if(subscriptions_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : subscriptions_) pump_soon(weak.lock());
}

void SimulatedLog::pump_soon(const std::shared_ptr<Outgoing>& outgoing) {
  if (outgoing->pumping) return;
  outgoing->pumping = true;
  Chance& chance = scheduler_.chance();
  const int delay = chance.once_in(20) ? chance.between(50, 1000) : chance.between(1, 10);
  scheduler_.after(delay, [this, weak = std::weak_ptr(outgoing)] { pump(weak); });
}

void SimulatedLog::pump(const std::weak_ptr<Outgoing>& weak) {
  const std::shared_ptr<Outgoing> outgoing = weak.lock();
  if (!outgoing) return;
  outgoing->pumping = false;
  Endpoint& endpoint = *outgoing->endpoint;
  if (!available || endpoint.cut_off) return;  // send_all() comes when that has passed
  const std::vector<Stored>& messages = servers_[outgoing->server].messages;
  for (int i = endpoint.chance().between(1, 8); i > 0 && outgoing->next <= messages.size(); --i) {
    const LogMessage message = message_at(messages, outgoing->next++);
    if (endpoint.happens(endpoint.rates().lost_delivery, "lost deliveries")) continue;
    outgoing->arrived.push_back(message);
    if (endpoint.happens(endpoint.rates().doubled_delivery, "doubled deliveries"))
      outgoing->arrived.push_back(message);
    if (outgoing->arrived.size() > 1 &&
        endpoint.happens(endpoint.rates().swapped_delivery, "deliveries out of order")) {
      std::swap(outgoing->arrived.back(), outgoing->arrived[outgoing->arrived.size() - 2]);
    }
  }
  if (outgoing->next <= messages.size()) pump_soon(outgoing);
}

bool loses_messages(Broken broken) {
  return broken == Broken::server_that_loses_messages ||
         broken == Broken::reader_that_does_not_prove ||
         broken == Broken::start_that_does_not_prove;
}

void SimulatedLog::lose_last() {
  for (Server& server : servers_)
    if (!server.messages.empty()) server.messages.pop_back();
}

namespace {

class SimulatedAppender final : public LogAppender {
 public:
  SimulatedAppender(SimulatedServers& servers, std::shared_ptr<Endpoint> endpoint)
      : servers_(servers), endpoint_(std::move(endpoint)), inbox_(std::make_shared<Inbox>()) {}

  Result<std::optional<std::uint64_t>> append(const Append& message) override {
    endpoint_->maybe_stand_still();
    if (endpoint_->cut_off && endpoint_->chance().once_in(2)) return std::optional<std::uint64_t>();
    const std::uint64_t token = ++last_token_;
    inbox_->messages.emplace(token, message.name);
    if (servers_.broken == Broken::answer_before_stored && !message.expected_last)
      inbox_->answers.push_back({token, AppendAnswer::Kind::stored, 1});
    send(message, token);
    endpoint_->maybe_stand_still();
    return std::optional(token);
  }

  std::vector<AppendAnswer> answers() override {
    std::vector<AppendAnswer> out;
    out.swap(inbox_->answers);
    for (const AppendAnswer& answer : out) {
      const bool there = answer.kind == AppendAnswer::Kind::stored ||
                         (answer.kind == AppendAnswer::Kind::known_id && answer.sequence > 0);
      if (there) servers_.acknowledged.insert(inbox_->messages[answer.token]);
    }
    return out;
  }

  void wait(int) override {}
  void abandon() override {
    inbox_->answers.clear();
    inbox_->messages.clear();
  }
  std::uint64_t server_changes() const override { return endpoint_->server_changes; }
  std::size_t max_message() const override { return 1 << 20; }

 private:
  struct Inbox {
    std::map<std::uint64_t, std::string> messages;  // that wait for an answer
    std::vector<AppendAnswer> answers;
  };

  // Requests arrive after their process was killed, too.
  void send(const Append& message, std::uint64_t token) {
    Endpoint& endpoint = *endpoint_;
    const FaultRates& rates = endpoint.rates();
    if (endpoint.happens(rates.lost_request, "lost requests")) return;
    int delay = endpoint.chance().between(1, 10);
    if (endpoint.cut_off || endpoint.happens(rates.late_request, "late requests"))
      delay += endpoint.chance().between(100, 5000);
    endpoint.scheduler().after(delay, [&servers = servers_, endpoint = endpoint_, message, token,
                                       inbox = std::weak_ptr(inbox_)]() mutable {
      arrive(servers, endpoint, std::move(message), token, inbox);
    });
  }

  static void arrive(SimulatedServers& servers, const std::shared_ptr<Endpoint>& endpoint,
                     Append message, std::uint64_t token, const std::weak_ptr<Inbox>& inbox) {
    SimulatedLog& log = servers.of(message.subject);
    Scheduler& scheduler = endpoint->scheduler();
    AppendAnswer answer;
    if (!log.available ||
        endpoint->happens(endpoint->rates().refused_request, "requests without a leader")) {
      answer.kind = AppendAnswer::Kind::try_again;
      answer.error = Error{ErrorCode::io, "no leader", ""};
    } else {
      answer = log.append(message, endpoint->chance(), servers.rates, servers.counts);
      if (scheduler.tracing()) {
        const char* kinds[] = {"stored", "known id", "wrong last", "try again", "failed"};
        scheduler.trace(fmt::format("{}: '{}' arrives: {}, message {}", endpoint->name(),
                                    message.name, kinds[static_cast<int>(answer.kind)],
                                    answer.sequence));
      }
      const bool again = servers.broken == Broken::publisher_that_does_not_step_down &&
                         answer.kind == AppendAnswer::Kind::wrong_last;
      if (again) {
        const std::uint64_t believed = *message.expected_last + 1;
        message.expected_last = log.messages().size();
        answer = log.append(message, endpoint->chance(), servers.rates, servers.counts);
        answer.sequence = believed;
      }
    }
    answer.token = token;
    if (endpoint->happens(endpoint->rates().lost_answer, "lost answers")) return;
    scheduler.after(endpoint->chance().between(1, 10), [inbox, answer] {
      const auto open = inbox.lock();
      if (open && open->messages.contains(answer.token)) open->answers.push_back(answer);
    });
  }

  SimulatedServers& servers_;
  const std::shared_ptr<Endpoint> endpoint_;
  const std::shared_ptr<Inbox> inbox_;
  std::uint64_t last_token_ = 0;
};

class SimulatedSubscription final : public Subscription {
 public:
  SimulatedSubscription(SimulatedServers& servers, SimulatedLog& log,
                        std::shared_ptr<Endpoint> endpoint)
      : servers_(servers), log_(log), endpoint_(std::move(endpoint)) {}

  Result<void> begin(std::uint64_t first, const std::stop_token&) override {
    outgoing_.reset();
    endpoint_->maybe_stand_still();
    if (!endpoint_->wait_for_servers()) return away(endpoint_->name());
    changes_ = endpoint_->server_changes;
    outgoing_ = std::make_shared<SimulatedLog::Outgoing>();
    outgoing_->endpoint = endpoint_;
    outgoing_->server = static_cast<std::size_t>(endpoint_->chance().between(0, 2));
    outgoing_->next = first;
    if (expected_ == 0) expected_ = first;
    log_.subscribe(outgoing_);
    return {};
  }

  Delivery next(LogMessage& out, int) override {
    endpoint_->maybe_stand_still();
    if (endpoint_->happens(endpoint_->rates().broken_subscription, "broken subscriptions"))
      return Delivery::broken;
    if (outgoing_->arrived.empty()) return Delivery::nothing;
    out = outgoing_->arrived.front();
    outgoing_->arrived.pop_front();
    // The reader cannot see that one is missing, doubled or out of order.
    if (servers_.broken == Broken::reader_without_order) out.sequence = expected_++;
    // ... or another one than it was.
    if (servers_.broken == Broken::reader_that_does_not_prove) {
      if (out.sequence == newest_.sequence) out = newest_;
      if (out.sequence > newest_.sequence) newest_ = out;
    }
    return Delivery::message;
  }

  bool ready() const override { return !outgoing_->arrived.empty(); }
  bool lost() const override { return changes_ != endpoint_->server_changes; }

  Result<Range> range(const std::stop_token&) override {
    if (!endpoint_->wait_for_servers()) return away(endpoint_->name());
    const std::uint64_t last =
        std::max<std::uint64_t>(log_.messages(outgoing_->server).size(), newest_.sequence);
    if (last > 0 && endpoint_->happens(endpoint_->rates().stale_answer, "stale answers"))
      return Range{1, endpoint_->chance().next() % last};
    return Range{1, last};
  }

 private:
  SimulatedServers& servers_;
  SimulatedLog& log_;
  const std::shared_ptr<Endpoint> endpoint_;
  std::shared_ptr<SimulatedLog::Outgoing> outgoing_;
  std::uint64_t changes_ = 0, expected_ = 0;
  LogMessage newest_;  // that was delivered; of a reader that does not prove
};

}  // namespace

std::unique_ptr<LogAppender> simulated_appender(SimulatedServers& servers,
                                                std::shared_ptr<Endpoint> endpoint) {
  return std::make_unique<SimulatedAppender>(servers, std::move(endpoint));
}

std::unique_ptr<Subscription> simulated_subscription(SimulatedServers& servers, SimulatedLog& log,
                                                     std::shared_ptr<Endpoint> endpoint) {
  return std::make_unique<SimulatedSubscription>(servers, log, std::move(endpoint));
}

Result<std::optional<LogMessage>> SimulatedStreamLog::decision_message(std::uint64_t sequence,
                                                                       const std::stop_token&) {
  endpoint_->maybe_stand_still();
  if (!endpoint_->wait_for_servers()) return away(endpoint_->name());
  const auto& messages = servers_.decisions.messages();
  if (sequence == 0) {
    sequence = messages.size();
    // A leader that was deposed and does not know it yet.
    if (sequence > 0 && endpoint_->happens(endpoint_->rates().stale_answer, "stale answers"))
      sequence = endpoint_->chance().next() % sequence;
  }
  if (sequence == 0 || sequence > messages.size()) return std::optional<LogMessage>();
  LogMessage message = message_at(messages, sequence);
  if (servers_.broken == Broken::start_that_does_not_prove) {
    Group group = *parse_group(message.bytes, "decisions");
    group.last_event = 0;
    const auto bytes = std::make_shared<const std::string>(group_bytes(group));
    message = {sequence, *bytes, bytes};
  }
  return std::optional(std::move(message));
}

}  // namespace paco::bus
