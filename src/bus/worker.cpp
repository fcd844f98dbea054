#include "bus/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/try.hpp"
#include "bus/event.hpp"
#include "bus/outbox.hpp"
#include "bus/picture.hpp"
#include "bus/subjects.hpp"
#include "linalg/matrix.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kKeptPicture = std::size_t{64} << 10;  // bytes
constexpr int kFetchMs = 500;
constexpr auto kLookAgain = std::chrono::seconds(2);
constexpr auto kStuck = std::chrono::seconds(5);
constexpr const char* kConsumer = "embed";  // what all workers of a stream share

class Worker {
 public:
  Worker(std::shared_ptr<Connection> connection, const StreamSettings& settings,
         PictureEmbedder& embedder, const WorkerOptions& options, std::unique_ptr<Outbox> outbox)
      : connection_(std::move(connection)),
        settings_(settings),
        embedder_(embedder),
        options_(options),
        outbox_(std::move(outbox)) {}
  ~Worker() { leave(); }

  Result<WorkerOutcome> run(const std::stop_token& stop) {
    auto last = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      PACO_ASSIGN(std::vector<Message> messages, fetch(stop));
      const auto now = std::chrono::steady_clock::now();
      if (messages.empty()) {
        if (options_.until_idle > 0 && now - last > std::chrono::seconds(options_.until_idle))
          break;
        continue;
      }
      const Result<void> done = work(messages, stop);
      if (!done.ok()) {
        // Somebody else may have them at once.
        for (const Message& message : messages) natsMsg_Nak(message.get(), nullptr);
        natsConnection_FlushTimeout(connection_->raw(), 1000);
        return done.error();
      }
      last = std::chrono::steady_clock::now();
    }
    return out_;
  }

 private:
  void leave() {
    if (subscription_ == nullptr) return;
    natsSubscription_Destroy(subscription_);
    subscription_ = nullptr;
  }

  Result<void> subscribe(const std::stop_token& stop) {
    const std::string stream = jetstream_of(settings_.name, Part::raw);
    const std::string subject = subject_of(settings_.name, Part::raw);
    return connection_->retry(fmt::format("taking from {}", stream), stop, [&](jsErrCode* code) {
      jsSubOptions options;
      jsSubOptions_Init(&options);
      options.Stream = stream.c_str();
      options.Config.AckPolicy = js_AckExplicit;
      options.Config.AckWait = std::int64_t{options_.answer_seconds} * 1'000'000'000;
      options.Config.MaxAckPending = 100'000;
      return js_PullSubscribe(&subscription_, connection_->js(), subject.c_str(), kConsumer,
                              nullptr, &options, code);
    });
  }

  // Nothing came. Where pictures are there all the same, and nobody gets any, the queue's own state
  // was lost with a server: it is asked for anew, and if that does not help, made anew. Pictures
  // stay; some may be embedded twice, which their keys make one event.
  Result<void> look_after(const std::stop_token& stop) {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < kLookAgain) return {};
    looked_ = now;
    const std::string stream = jetstream_of(settings_.name, Part::raw);
    jsStreamInfo* info = nullptr;
    PACO_TRY(connection_->retry(stream, stop, [&](jsErrCode* code) {
      return js_GetStreamInfo(&info, connection_->js(), stream.c_str(), nullptr, code);
    }));
    const std::uint64_t there = info->State.Msgs;
    jsStreamInfo_Destroy(info);
    jsConsumerInfo* queue = nullptr;
    std::uint64_t given = 0;
    std::int64_t open = 0;
    if (js_GetConsumerInfo(&queue, connection_->js(), stream.c_str(), kConsumer, nullptr,
                           nullptr) == NATS_OK) {
      given = queue->Delivered.Consumer;
      open = queue->NumAckPending;
      jsConsumerInfo_Destroy(queue);
    }
    if (there == 0 || given != given_) moved_ = now;  // others are given some
    given_ = given;
    const auto patience = kStuck + std::chrono::seconds(open > 0 ? 2 * options_.answer_seconds : 0);
    if (now - moved_ < kLookAgain) return {};
    leave();
    if (now - moved_ < patience) return {};
    moved_ = now;
    (void)js_DeleteConsumer(connection_->js(), stream.c_str(), kConsumer, nullptr, nullptr);
    return {};
  }

  Result<std::vector<Message>> fetch(const std::stop_token& stop) {
    if (subscription_ == nullptr) PACO_TRY(subscribe(stop));
    natsMsgList list{};
    auto code = jsErrCode(0);
    const natsStatus status = natsSubscription_Fetch(
        &list, subscription_, static_cast<int>(options_.batch), kFetchMs, &code);
    std::vector<Message> messages;
    for (int i = 0; i < list.Count; ++i) {
      messages.emplace_back(list.Msgs[i]);
      list.Msgs[i] = nullptr;
    }
    natsMsgList_Destroy(&list);
    if (status != NATS_OK && status != NATS_TIMEOUT) {
      leave();  // the server that had it is gone
      pause(100, stop);
    }
    return messages;
  }

  Result<void> reject(const Message& message, const RawPicture& picture, const Error& error,
                      const std::stop_token& stop) {
    const std::string id =
        fmt::format("{}-{}", sequence_of(message.get()), picture.key);  // foreign ones have no key
    PACO_TRY(outbox_->put(subject_of(settings_.name, Part::rejected), id,
                          rejection_json(picture, options_.name, error), stop));
    PACO_TRY(outbox_->flush(stop));
    natsMsg_Term(message.get(), nullptr);
    ++out_.rejected;
    return {};
  }

  struct Job {
    const Message* message;
    RawPicture picture;
    Image image;
    std::uint64_t given;  // how often, this time included
  };

  // Those that are given out for the first time together. Among the others may be one that ends
  // every worker: they go one by one, every second time backwards, so that those before and those
  // behind it get through.
  Result<void> work(const std::vector<Message>& messages, const std::stop_token& stop) {
    std::vector<Job> fresh, again;
    for (const Message& message : messages) {
      PACO_ASSIGN(std::optional<Job> job, prepare(message, stop));
      if (job) (job->given > 1 ? again : fresh).push_back(std::move(*job));
    }
    if (!fresh.empty()) PACO_TRY(publish(fresh, stop));
    if (!again.empty() && again.front().given % 2 == 1) std::reverse(again.begin(), again.end());
    for (Job& job : again) PACO_TRY(publish({&job, 1}, stop));
    return {};
  }

  // The picture as pixels, or nothing where it was rejected.
  Result<std::optional<Job>> prepare(const Message& message, const std::stop_token& stop) {
    Job job{&message, {}, {}, 1};
    Result<RawPicture> picture = parse_picture(bytes_of(message.get()));
    if (!picture.ok()) {
      PACO_TRY(reject(message, {}, picture.error(), stop));
      return std::optional<Job>();
    }
    job.picture = std::move(*picture);
    jsMsgMetaData* meta = nullptr;
    if (natsMsg_GetMetaData(&meta, message.get()) == NATS_OK) job.given = meta->NumDelivered;
    jsMsgMetaData_Destroy(meta);
    out_.again += job.given > 1;
    Result<Image> image = job.picture.image;
    if (job.given > static_cast<std::uint64_t>(options_.tries)) {
      image = Error{ErrorCode::bad_value,
                    fmt::format("was given to a worker {} times without an answer", job.given - 1),
                    "it may be what ends them"};
    } else {
      image = decode(job.picture);
    }
    if (!image.ok()) {
      PACO_TRY(reject(message, job.picture, image.error(), stop));
      return std::optional<Job>();
    }
    job.image = std::move(*image);
    return std::optional<Job>(std::move(job));
  }

  Result<void> publish(std::span<Job> jobs, const std::stop_token& stop) {
    std::vector<Image> images;
    for (Job& job : jobs) images.push_back(std::move(job.image));
    Matrix<float> rows(images.size(), settings_.dimension);
    const auto begun = std::chrono::steady_clock::now();
    PACO_TRY(embedder_.embed(images, rows.view()));
    out_.busy_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const std::string subject = subject_of(settings_.name, Part::events);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      RawPicture& picture = jobs[i].picture;
      SampleEvent sample;
      sample.key = std::move(picture.key);
      sample.id = std::move(picture.id);
      if (options_.keep_pictures && picture.file.size() <= kKeptPicture)
        sample.picture = std::move(picture.file);
      const auto row = rows.view()[i];
      sample.embedding.assign(row.begin(), row.end());
      PACO_TRY(outbox_->put(subject, sample.key, event_bytes(sample, true), stop));
    }
    PACO_TRY(outbox_->flush({}));
    for (const Job& job : jobs) natsMsg_Ack(job.message->get(), nullptr);
    out_.embedded += jobs.size();
    return {};
  }

  const std::shared_ptr<Connection> connection_;
  const StreamSettings& settings_;
  PictureEmbedder& embedder_;
  const WorkerOptions& options_;
  const std::unique_ptr<Outbox> outbox_;
  natsSubscription* subscription_ = nullptr;
  WorkerOutcome out_;
  // When the queue was looked at, and when it last gave something to somebody.
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point moved_ = looked_;
  std::uint64_t given_ = 0;
};

}  // namespace

Result<WorkerOutcome> run_worker(const std::shared_ptr<Connection>& connection,
                                 const StreamSettings& settings, PictureEmbedder& embedder,
                                 const WorkerOptions& options, const std::stop_token& stop) {
  PACO_ASSIGN(auto outbox,
              Outbox::open(connection, fmt::format("embedding for '{}'", settings.name)));
  outbox->spare(jetstream_of(settings.name, Part::events));
  return Worker(connection, settings, embedder, options, std::move(outbox)).run(stop);
}

}  // namespace paco::bus
