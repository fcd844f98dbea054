#include "bus/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "bus/event.hpp"
#include "bus/nats_log.hpp"
#include "bus/picture.hpp"
#include "bus/queue.hpp"
#include "core/try.hpp"
#include "math/matrix.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kKeptPicture = std::size_t{64} << 10;  // bytes

class Worker {
 public:
  Worker(std::shared_ptr<Connection> connection, const StreamSettings& settings,
         PictureEmbedder& embedder, const WorkerOptions& options,
         std::unique_ptr<ReliablePublisher> publisher)
      : connection_(std::move(connection)),
        settings_(settings),
        embedder_(embedder),
        options_(options),
        publisher_(std::move(publisher)),
        queue_(connection_, settings_.name, options_.answer_seconds) {}

  Result<WorkerOutcome> run(const std::stop_token& stop) {
    auto last = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      const Result<std::vector<Message>> taken = queue_.take(options_.batch, stop);
      if (!taken.ok() && taken.error().code == ErrorCode::interrupted) break;
      if (!taken.ok()) return taken.error();
      const std::vector<Message>& messages = *taken;
      const auto now = std::chrono::steady_clock::now();
      if (messages.empty()) {
        if (options_.until_idle > 0 && now - last > std::chrono::seconds(options_.until_idle))
          break;
        continue;
      }
      const Result<void> done = work(messages, stop);
      if (!done.ok()) {
        // Release them at once for other workers.
        for (const Message& message : messages) natsMsg_Nak(message.get(), nullptr);
        natsConnection_FlushTimeout(connection_->raw(), 1000);
        return done.error();
      }
      last = std::chrono::steady_clock::now();
    }
    return out_;
  }

 private:
  Result<void> reject(const Message& message, const RawPicture& picture, const Error& error,
                      const std::stop_token& stop) {
    const std::string id = fmt::format("{}-{}", sequence_of(message.get()),
                                       picture.key);  // foreign messages have no key
    PACO_TRY(publisher_->put({subject_of(settings_.name, Part::rejected),
                              rejection_json(picture, options_.name, error), id, id},
                             stop));
    PACO_TRY(publisher_->flush(stop));
    natsMsg_Term(message.get(), nullptr);
    ++out_.rejected;
    return {};
  }

  struct Job {
    const Message* message;
    RawPicture picture;
    embed::Image image;
    std::uint64_t given;  // number of deliveries, including this one
  };

  // Embeds first deliveries together. A picture that was delivered before may be one that crashes
  // every worker, so repeated deliveries are embedded one by one; the order alternates between
  // deliveries, so that pictures before and after the bad one are embedded.
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

  // Decodes the picture; nothing if it was rejected.
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
    Result<embed::Image> image = job.picture.image;
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
    std::vector<embed::Image> images;
    for (Job& job : jobs) images.push_back(std::move(job.image));
    math::Matrix<float> rows(images.size(), settings_.dimension);
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
      PACO_TRY(publisher_->put({subject, event_bytes(sample, true), sample.key}, stop));
    }
    PACO_TRY(publisher_->flush({}));
    for (const Job& job : jobs) natsMsg_Ack(job.message->get(), nullptr);
    out_.embedded += jobs.size();
    return {};
  }

  const std::shared_ptr<Connection> connection_;
  const StreamSettings& settings_;
  PictureEmbedder& embedder_;
  const WorkerOptions& options_;
  const std::unique_ptr<ReliablePublisher> publisher_;
  Queue queue_;
  WorkerOutcome out_;
};

}  // namespace

Result<WorkerOutcome> run_worker(const std::shared_ptr<Connection>& connection,
                                 const StreamSettings& settings, PictureEmbedder& embedder,
                                 const WorkerOptions& options, const std::stop_token& stop) {
  PACO_ASSIGN(
      auto publisher,
      open_publisher(connection, fmt::format("embedding for '{}'", settings.name), settings.name));
  return Worker(connection, settings, embedder, options, std::move(publisher)).run(stop);
}

}  // namespace paco::bus
