// An embedding worker: takes pictures from the work queue of a stream, embeds them in batches, and
// publishes the embeddings as events.
//
// Any number of workers share the queue. A picture is taken off it when its event is stored; one
// whose worker dies is given to another, and should both have published it, its key makes it one
// event. A picture that cannot be read, or that was given out too often without an answer, is
// reported on the rejected subject and holds nobody up. The order of events is the one in which
// workers finish.
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

// Pictures in, embeddings out: whatever network there is, on whatever device.
class PictureEmbedder {
 public:
  virtual ~PictureEmbedder() = default;
  // out is (images.size(), dimension of the stream).
  virtual Result<void> embed(std::span<const embed::Image> images, Rows<float> out) = 0;
};

struct WorkerOptions {
  std::string name;              // in what it reports
  std::size_t batch = 64;        // pictures at once
  int answer_seconds = 60;       // until a picture without an answer is given to another worker
  int tries = 5;                 // times a picture is given out at most
  bool keep_pictures = false;    // small image files go along with the event
  std::uint64_t until_idle = 0;  // end when nothing came for so many seconds; 0: never
};

struct WorkerOutcome {
  std::uint64_t embedded = 0, rejected = 0, again = 0;  // `again`: not the first to be given it
  double busy_seconds = 0;                              // in the embedder
};

Result<WorkerOutcome> run_worker(const std::shared_ptr<Connection>& connection,
                                 const StreamSettings& settings, PictureEmbedder& embedder,
                                 const WorkerOptions& options, const std::stop_token& stop);

}  // namespace paco::bus
