// An embedding worker: takes pictures from the work queue of a stream, embeds them in batches, and
// publishes the embeddings as events.
//
// Any number of workers share the queue. A picture is removed from it when its event is stored. If
// a worker dies, its pictures are given to other workers; if two workers publish the same picture,
// it is decided once, because of its key. A picture that cannot be read, or that was given out too
// often without an answer, is reported on the rejected subject and does not delay the others. The
// order of events is the order in which workers finish.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bus/connection.hpp"
#include "bus/settings.hpp"
#include "embed/images/images.hpp"
#include "paco/rows.hpp"

namespace paco::bus {

// Computes embeddings of pictures, with any network on any device.
class PictureEmbedder {
 public:
  virtual ~PictureEmbedder() = default;
  // out is (images.size(), dimension of the stream).
  virtual Result<void> embed(std::span<const embed::Image> images, Rows<float> out) = 0;
};

struct WorkerOptions {
  std::string name;              // used in reports about rejected pictures
  std::size_t batch = 64;        // pictures embedded at once
  int answer_seconds = 60;       // time until an unanswered picture is given to another worker
  int tries = 5;                 // upper bound on deliveries of a picture
  bool keep_pictures = false;    // send small image files with their events
  std::uint64_t until_idle = 0;  // end after this many seconds without a picture; 0: never
};

struct WorkerOutcome {
  std::uint64_t embedded = 0, rejected = 0, again = 0;  // `again`: repeated deliveries
  double busy_seconds = 0;                              // spent in the embedder
};

Result<WorkerOutcome> run_worker(const std::shared_ptr<Connection>& connection,
                                 const StreamSettings& settings, PictureEmbedder& embedder,
                                 const WorkerOptions& options, const std::stop_token& stop);

}  // namespace paco::bus
