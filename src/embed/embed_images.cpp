#include "embed/embed_images.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "embed/parted_output.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kInFlight = 2;  // batches handed to the device and not yet collected

// Identifies the run that a part belongs to: the same network, images, order and batches.
std::string identity_of(const ImageSource& source, const std::vector<std::size_t>& order,
                        const ImageEmbedder& embedder, const EmbedFileOptions& options) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ull; };
  for (const std::size_t sample : order) {
    mix(sample);
    for (const char character : source.name(sample)) mix(static_cast<unsigned char>(character));
  }
  return fmt::format("{:016x}-{:016x}-{}-{}", embedder.fingerprint(), hash, order.size(),
                     options.batch);
}

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
      // Batches already submitted are still collected, so that an interrupted run keeps all
      // computed rows.
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

Result<EmbedReport> embed_to_file(const ImageSource& source, const std::vector<std::size_t>& order,
                                  ImageEmbedder& embedder, const EmbedFileOptions& options,
                                  core::Progress& progress, std::stop_token stop) {
  PartedOutput output({"images", identity_of(source, order, embedder, options),
                       static_cast<std::size_t>(embedder.spec().embedding()), order.size(),
                       options.batch, [&](std::size_t sample) { return source.name(sample); }},
                      options);
  PACO_ASSIGN(const std::size_t done, output.begin());
  ProgressOfRest rest(progress, done, order.size());
  const auto sink = [&](const Batch& batch, Rows<const float> rows) {
    return output.take(rows, batch.samples, batch.skipped, {});
  };
  const auto embedded =
      embed_images(source, {order.begin() + static_cast<std::ptrdiff_t>(done), order.end()},
                   embedder, options, sink, rest, std::move(stop));
  return embedded.ok() ? output.join() : output.stop(embedded.error());
}

}  // namespace paco::embed
