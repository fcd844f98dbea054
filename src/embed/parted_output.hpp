// Writes embeddings to a file, in parts that survive an interruption (embed_images.hpp describes
// what a user sees). It does not compute embeddings; images and texts share it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "embed/embed_images.hpp"

namespace paco::embed {

class PartedOutput {
 public:
  // The input: `total` samples, `batch` at a time. `identity` distinguishes runs; `name_of` gives
  // the name of a sample, for formats that name their rows.
  struct Source {
    std::string what;  // "images", for messages
    std::string identity;
    std::size_t dimension = 0, total = 0, batch = 1;
    std::function<std::string(std::size_t)> name_of;
  };
  PartedOutput(Source source, const EmbedFileOptions& options);

  // Finds the parts of an earlier run, or removes them; returns how many samples they cover.
  Result<std::size_t> begin();
  // Adds the next samples: rows for `samples`, none for those in `skipped`. The samples in `cut`
  // did not fit completely.
  Result<void> take(Rows<const float> rows, std::span<const std::size_t> samples,
                    std::span<const SkippedImage> skipped, std::span<const std::size_t> cut);
  // Writes the rows so far to a part; the returned error says how to continue, if that is possible.
  Error stop(Error error);
  // Writes the complete file under its name.
  Result<EmbedReport> join();

 private:
  // Rows that are not yet in the output.
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

// Progress over all samples; a resumed run starts after the finished ones.
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
