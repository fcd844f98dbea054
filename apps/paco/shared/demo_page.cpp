#include "shared/demo_page.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>

#include "cli/verb.hpp"
#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "io/embeddings.hpp"
#include "io/npy.hpp"
#include "report/thumbnail.hpp"
#include "server/listener.hpp"
#include "server/service.hpp"

namespace paco {
namespace {

constexpr std::uint64_t kAtOnce = 500;
constexpr auto kPace = std::chrono::milliseconds(50);
constexpr std::size_t kSide = 56;  // pixels of a picture
constexpr int kQuality = 80;

// The pictures of the stream's samples, if the demonstration has pictures.
class Pictures {
 public:
  static Result<Pictures> open(const DemoFiles& files, const std::string& images) {
    Pictures out;
    if (images.empty()) return out;
    PACO_ASSIGN(out.images_, embed::open_images(images));
    PACO_ASSIGN(auto index, io::read_npy<std::int64_t>(files.stream_index));
    out.index_ = std::move(index.data);
    return out;
  }
  Result<std::string> of(std::uint64_t sample) const {
    if (images_ == nullptr || sample >= index_.size()) return std::string();
    PACO_ASSIGN(const embed::Image image,
                images_->load(static_cast<std::size_t>(index_[static_cast<std::size_t>(sample)])));
    PACO_ASSIGN(const report::Thumbnail small, report::make_thumbnail(image, kSide, kQuality));
    const std::string_view uri = small.uri;
    return server::from_base64(uri.substr(uri.find(',') + 1)).value_or("");
  }

 private:
  std::unique_ptr<embed::ImageSource> images_;
  std::vector<std::int64_t> index_;
};

Result<std::shared_ptr<server::Stream>> stream_of(server::Service& service,
                                                  const DemoFiles& files) {
  PACO_ASSIGN(Model model, load_model(files.model));
  const auto shared = std::make_shared<const Model>(std::move(model));
  if (const auto found = service.streams().find("demo")) {
    while (!found->ready() && !found->status().error)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (const auto failed = found->status().error) return *failed;
  }
  PACO_ASSIGN(server::Streams::Made made, service.streams().create("demo", shared, {}));
  return made.stream;
}

// Sends one sample and waits for its decision. Because of its key, a second demonstration
// continues.
Result<void> send(server::Stream& stream, std::span<const double> row, std::uint64_t number,
                  std::string picture) {
  auto samples = std::make_shared<server::Samples>();
  samples->rows = 1;
  samples->dimension = row.size();
  samples->embeddings.assign(row.begin(), row.end());
  samples->keys = {fmt::format("demo-{}", number)};
  if (!picture.empty()) samples->pictures = {std::move(picture)};
  std::promise<Result<void>> answered;
  const bool taken = stream.worker().submit(
      {samples, [&](std::variant<server::SampleAnswer, server::BadSample> outcome) {
         const auto* bad = std::get_if<server::BadSample>(&outcome);
         answered.set_value(bad == nullptr ? Result<void>() : bad->error);
       }});
  if (!taken) return Error{ErrorCode::interrupted, "interrupted", ""};
  return answered.get_future().get();
}

}  // namespace

Result<void> serve_demo(Context& context, const DemoFiles& files, const std::string& images,
                        std::uint16_t port) {
  server::ServiceOptions settings;
  settings.folder = files.folder + "/streams";
  settings.version = PACO_VERSION;
  server::Service service(settings);
  PACO_TRY(service.open());
  PACO_ASSIGN(const auto stream, stream_of(service, files));
  PACO_ASSIGN(const Pictures pictures, Pictures::open(files, images));
  PACO_ASSIGN(const auto source, io::open_embeddings(files.stream));
  server::ListenerOptions listening;
  listening.port = port;
  PACO_ASSIGN(const auto listener, server::Listener::start(listening, service));
  service.set_counts([&] { return listener->counts(); });
  print_note(
      fmt::format("open http://127.0.0.1:{}/ in a browser: the stream is flowing (Ctrl-C "
                  "ends it)",
                  listener->port()));
  std::mutex mutex;
  std::condition_variable_any ended;
  const auto pause = [&](auto time) {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, context.stop, time, [] { return false; });
  };
  math::Matrix<double> row(1, source->dimension());
  const std::uint64_t before = stream->worker().published()->view->samples;
  Result<void> sent;
  for (std::uint64_t i = 0; sent.ok() && !context.stop.stop_requested(); ++i) {
    const Result<std::size_t> rows = source->read(row.view());
    if (!rows.ok()) sent = rows.error();
    if (!rows.ok() || *rows == 0) break;
    if (i < before) continue;  // sent by an earlier demonstration
    Result<std::string> picture = pictures.of(i);
    sent = picture.ok() ? send(*stream, row.view()[0], i, std::move(picture).value())
                        : picture.error();
    if (i >= before + kAtOnce) pause(kPace);
  }
  while (sent.ok() && !context.stop.stop_requested()) pause(std::chrono::hours(1));
  listener->stop();
  service.close();
  return sent;
}

}  // namespace paco
