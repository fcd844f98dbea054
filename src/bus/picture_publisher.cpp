#include "bus/picture_publisher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/event.hpp"
#include "bus/nats_log.hpp"
#include "bus/picture.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

// The folder of a data set's files, or empty if it has no files.
std::string folder_of(const std::string& data) {
  const std::string path = data.starts_with("folder:") ? data.substr(7) : data;
  return core::path_kind(path) == core::PathKind::folder ? path : std::string();
}

}  // namespace

Result<PublishOutcome> publish_pictures(std::shared_ptr<Connection> connection,
                                        const StreamSettings& settings, const std::string& data,
                                        const PublishOptions& options, core::Progress& progress,
                                        const core::Clock& clock, const std::stop_token& stop) {
  PACO_ASSIGN(const auto source, embed::open_images(data));
  const std::string folder = folder_of(data), subject = subject_of(settings.name, Part::raw);
  PACO_ASSIGN(const auto publisher,
              open_publisher(std::move(connection), fmt::format("publishing {}", data), {},
                             options.window));
  PublishOutcome out;
  const double begun = clock();
  progress.start("publish", "pictures",
                 source->size() - std::min<std::uint64_t>(source->size(), options.skip));
  for (std::size_t i = options.skip; i < source->size() && !stop.stop_requested(); ++i) {
    RawPicture picture;
    picture.key = fmt::format("{}{}", options.key_prefix, i);
    if (folder.empty()) {
      PACO_ASSIGN(picture.image, source->load(i));
    } else {
      picture.id = source->name(i).substr(0, kMostId);
      PACO_ASSIGN(const std::vector<std::byte> file,
                  core::read_file(folder + "/" + source->name(i)));
      picture.file.assign(reinterpret_cast<const char*>(file.data()), file.size());
    }
    std::string bytes = picture_bytes(picture);
    out.bytes += bytes.size();
    PACO_TRY(publisher->put({subject, std::move(bytes), picture.key, picture.key}, stop));
    progress.update(++out.samples);
  }
  PACO_TRY(publisher->flush({}));
  progress.finish();
  out.resent = publisher->resent();
  out.seconds = clock() - begun;
  return out;
}

}  // namespace paco::bus
