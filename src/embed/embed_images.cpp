#include "embed/embed_images.hpp"

#include <deque>
#include <optional>

#include "core/try.hpp"
#include "embed/images/images.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kInFlight = 2;  // batches handed to the device and not yet collected

}  // namespace

Result<EmbedReport> embed_images(const ImageSource& source, const std::vector<std::size_t>& order,
                                 ImageEmbedder& embedder, const EmbedOptions& options,
                                 const EmbedSink& sink, core::Progress& progress,
                                 std::stop_token stop) {
  LoaderSettings settings;
  settings.input = embedder.spec().input;
  settings.batch = options.batch;
  settings.threads = options.threads;
  settings.strict = options.strict;
  settings.allocate = embedder.allocator();
  Loader loader(source, order, settings, stop);
  progress.start("embed", "images", order.size());

  EmbedReport report;
  std::deque<Batch> in_flight;
  std::size_t done = 0;
  const std::size_t dimension = static_cast<std::size_t>(embedder.spec().embedding());
  const auto collect = [&]() -> Result<void> {
    const Batch batch = std::move(in_flight.front());
    in_flight.pop_front();
    math::Matrix<float> rows(batch.samples.size(), dimension);
    PACO_TRY(embedder.collect(rows.view()));
    PACO_TRY(sink(batch, rows.view()));
    report.samples.insert(report.samples.end(), batch.samples.begin(), batch.samples.end());
    report.skipped.insert(report.skipped.end(), batch.skipped.begin(), batch.skipped.end());
    progress.update(done += batch.asked);
    return {};
  };
  while (true) {
    auto next = loader.next();
    if (!next.ok()) {
      // What was handed over is still delivered: an interrupted run keeps all that it computed.
      while (!in_flight.empty()) PACO_TRY(collect());
      return next.error();
    }
    if (!next->has_value()) break;
    in_flight.push_back(std::move(**next));
    if (auto submitted = embedder.submit(in_flight.back()); !submitted.ok())
      return submitted.error();
    if (in_flight.size() >= kInFlight) PACO_TRY(collect());
  }
  while (!in_flight.empty()) PACO_TRY(collect());
  progress.finish();
  return report;
}

}  // namespace paco::embed
