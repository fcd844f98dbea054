// Pictures onto the work queue of a stream, for the embedding workers (worker.hpp). Image files go
// as they are, so that a worker decodes them; pictures of other data sets go as pixels.
#pragma once

#include <memory>
#include <string>

#include "bus/publisher.hpp"
#include "core/progress.hpp"
#include "embed/images/images.hpp"

namespace paco::bus {

// `data` as open_images() takes it. The key of picture i is the prefix and i, the id of a file its
// name.
Result<PublishOutcome> publish_pictures(std::shared_ptr<Connection> connection,
                                        const StreamSettings& settings, const std::string& data,
                                        const PublishOptions& options, core::Progress& progress,
                                        const core::Clock& clock, const std::stop_token& stop);

}  // namespace paco::bus
