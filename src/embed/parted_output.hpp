// Embeddings on their way into a file, in parts that outlive an interruption (embed_images.hpp says
// what a user sees of it). It embeds nothing; images and texts share it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "embed/embed_images.hpp"

namespace paco::embed {

class PartedOutput {
 public:
  // What is embedded: `total` samples, `batch` together. `identity` tells one run from another; a
  // sample is called `name_of` in kinds of files that name their rows.
  struct Source {
    std::string what;  // "images", for messages
    std::string identity;
    std::size_t dimension = 0, total = 0, batch = 1;
    std::function<std::string(std::size_t)> name_of;
  };
  PartedOutput(Source source, const EmbedFileOptions& options);

  // Finds the parts of an earlier run, or removes them; how many samples they answer.
  Result<std::size_t> begin();
  // The next samples: rows for `samples`, none for those in `skipped`. Of the rows `cut` did not
  // fit as a whole.
  Result<void> take(Rows<const float> rows, std::span<const std::size_t> samples,
                    std::span<const SkippedImage> skipped, std::span<const std::size_t> cut);
  // Keeps what has come; the error says how to go on if that is possible.
  Error stop(Error error);
  // Puts the file in place.
  Result<EmbedReport> join();

 private:
  // Rows that are not in the output yet.
  struct Part {
    std::vector<float> rows;
    std::vector<std::int64_t> samples, cut;
    std::vector<SkippedImage> skipped;
    std::size_t asked() const { return samples.size() + skipped.size(); }
  };
  std::string part_path(std::size_t number) const;
  Result<void> write_part(const std::string& path) const;
  Result<Part> read_part(const std::string& path) const;
  Result<void> close_part();

  Source source_;
  const EmbedFileOptions& options_;
  std::size_t parts_ = 0;  // written so far
  std::size_t done_ = 0;   // samples that they answer
  Part current_;
  double last_part_ = 0;
  EmbedReport report_;
};

// Progress over all samples, of which a resumed run does the end.
class ProgressOfRest final : public core::Progress {
 public:
  ProgressOfRest(core::Progress& inner, std::size_t before, std::size_t total)
      : inner_(inner), before_(before), total_(total) {}
  void start(std::string_view title, std::string_view unit, std::optional<std::uint64_t>) override {
    inner_.start(title, unit, total_);
  }
  void update(std::uint64_t done, std::string_view note) override {
    inner_.update(before_ + done, note);
  }
  void finish() override { inner_.finish(); }

 private:
  core::Progress& inner_;
  std::uint64_t before_, total_;
};

}  // namespace paco::embed
