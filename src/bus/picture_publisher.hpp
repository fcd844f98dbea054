// Publishes pictures to the work queue of a stream, for the embedding workers (worker.hpp). Image
// files are sent unchanged, and a worker decodes them; pictures of other data sets are sent as
// pixels.
#pragma once

#include <memory>
#include <string>

#include "bus/publisher.hpp"
#include "core/progress.hpp"
#include "embed/images/images.hpp"

namespace paco::bus {

// `data` in the format of open_images(). The key of picture i is the prefix followed by i; the id
// of a file is its name.
Result<PublishOutcome> publish_pictures(std::shared_ptr<Connection> connection,
                                        const StreamSettings& settings, const std::string& data,
                                        const PublishOptions& options, core::Progress& progress,
                                        const core::Clock& clock, const std::stop_token& stop);

}  // namespace paco::bus
