// embed_to_file: part files and the joining of them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/embed_images.hpp"
#include "embed/images/images.hpp"
#include "io/embedding_record.hpp"
#include "io/embedding_writer.hpp"
#include "io/safetensors.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEmbedKey = "paco.embed";

std::string part_path(const std::string& out, std::size_t number) {
  return fmt::format("{}.part-{:06}", out, number);
}

// Rows that are not in the output yet, and how far in `order` they reach.
struct Part {
  std::vector<float> rows;
  std::vector<std::int64_t> samples;
  std::vector<SkippedImage> skipped;
  std::size_t asked = 0;  // entries of `order` that these rows and skipped images answer
};

// Says which run a part belongs to: the same network, images, order and batches.
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

Result<void> write_part(const std::string& path, const Part& part, std::size_t dimension,
                        const std::string& identity) {
  Json skipped = Json::array();
  for (const SkippedImage& each : part.skipped)
    skipped.push_back(
        {{"sample", each.sample}, {"name", each.name}, {"message", each.error.message}});
  const Json json{{"identity", identity}, {"asked", part.asked}, {"skipped", skipped}};
  io::SafetensorsWriter writer;
  writer.set_metadata(kEmbedKey, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  writer.add("embeddings", {part.samples.size(), dimension}, std::span<const float>(part.rows));
  writer.add("samples", {part.samples.size()}, std::span<const std::int64_t>(part.samples));
  return writer.write(path);
}

Result<Part> read_part(const std::string& path, std::size_t dimension,
                       const std::string& identity) {
  const Error foreign{
      ErrorCode::mismatch,
      fmt::format("{}: this part is of another run: other weights, images, order or batch", path),
      "run again without --resume, which starts over"};
  PACO_ASSIGN(const auto file, io::SafetensorsFile::open(path));
  const auto found = file.metadata().find(kEmbedKey);
  const Json json =
      found == file.metadata().end() ? Json() : Json::parse(found->second, nullptr, false);
  if (!json.is_object() || json.value("identity", Json()) != identity ||
      !json.value("asked", Json()).is_number_unsigned())
    return foreign;
  Part part;
  part.asked = json["asked"].get<std::size_t>();
  for (const Json& each : json.value("skipped", Json::array())) {
    if (!each.is_object() || !each.value("sample", Json()).is_number_unsigned()) return foreign;
    part.skipped.push_back({each["sample"].get<std::size_t>(), each.value("name", ""),
                            Error{ErrorCode::bad_value, each.value("message", ""), ""}});
  }
  PACO_ASSIGN(part.rows, file.read<float>("embeddings"));
  PACO_ASSIGN(part.samples, file.read<std::int64_t>("samples"));
  if (part.rows.size() != part.samples.size() * dimension ||
      part.samples.size() + part.skipped.size() != part.asked)
    return foreign;
  return part;
}

// Progress over the whole order, of which a resumed run does the end.
class Shifted final : public core::Progress {
 public:
  Shifted(core::Progress& inner, std::size_t before, std::size_t total)
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

class FileRun {
 public:
  FileRun(const ImageSource& source, const std::vector<std::size_t>& order, ImageEmbedder& embedder,
          const EmbedFileOptions& options)
      : source_(source),
        order_(order),
        embedder_(embedder),
        options_(options),
        dimension_(static_cast<std::size_t>(embedder.spec().embedding())) {}

  Result<EmbedReport> run(core::Progress& progress, std::stop_token stop) {
    identity_ = identity_of(source_, order_, embedder_, options_);
    PACO_TRY(find_parts());
    last_part_ = options_.clock();
    const std::vector<std::size_t> rest(order_.begin() + static_cast<std::ptrdiff_t>(done_),
                                        order_.end());
    Shifted shifted(progress, done_, order_.size());
    const auto sink = [this](const Batch& batch, Rows<const float> rows) {
      return take(batch, rows);
    };
    auto embedded = embed_images(source_, rest, embedder_, options_, sink, shifted, stop);
    if (!embedded.ok()) {
      if (current_.asked == 0 && parts_ == 0) return embedded.error();
      if (current_.asked > 0) PACO_TRY(close_part());
      Error error = embedded.error();
      if (error.code == ErrorCode::interrupted) {
        error.message = fmt::format("interrupted after {} of {} images", done_, order_.size());
        error.hint = "run the same command with --resume to go on";
      }
      return error;
    }
    PACO_TRY(join());
    return std::move(report_);
  }

 private:
  // Parts of an earlier run: counted where it is to be resumed, removed where not.
  Result<void> find_parts() {
    for (std::size_t number = 0;
         core::path_kind(part_path(options_.out, number)) == core::PathKind::file; ++number) {
      if (!options_.resume) {
        PACO_TRY(core::remove_file(part_path(options_.out, number)));
        continue;
      }
      PACO_ASSIGN(const Part part,
                  read_part(part_path(options_.out, number), dimension_, identity_));
      report_.resumed += part.samples.size();
      done_ += part.asked;
      ++parts_;
    }
    if (done_ > order_.size() || (done_ < order_.size() && done_ % options_.batch != 0))
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: its parts do not end at a batch", options_.out),
                   "run again without --resume, which starts over"};
    return {};
  }

  Result<void> take(const Batch& batch, Rows<const float> rows) {
    current_.rows.insert(current_.rows.end(), rows.data, rows.data + rows.rows * rows.columns);
    current_.samples.insert(current_.samples.end(), batch.samples.begin(), batch.samples.end());
    current_.skipped.insert(current_.skipped.end(), batch.skipped.begin(), batch.skipped.end());
    current_.asked += batch.asked;
    if (current_.asked < options_.part_rows &&
        options_.clock() - last_part_ < options_.part_seconds)
      return {};
    return close_part();
  }

  Result<void> close_part() {
    PACO_TRY(write_part(part_path(options_.out, parts_), current_, dimension_, identity_));
    ++parts_;
    done_ += current_.asked;
    current_ = {};
    last_part_ = options_.clock();
    return {};
  }

  Result<void> append(io::EmbeddingWriter& writer, const Part& part) {
    const std::vector<double> rows(part.rows.begin(), part.rows.end());
    std::vector<std::string> names;
    for (const std::int64_t sample : part.samples)
      names.push_back(source_.name(static_cast<std::size_t>(sample)));
    if (!names.empty())
      PACO_TRY(
          writer.append(Rows<const double>{rows.data(), part.samples.size(), dimension_}, names));
    report_.samples.insert(report_.samples.end(), part.samples.begin(), part.samples.end());
    report_.skipped.insert(report_.skipped.end(), part.skipped.begin(), part.skipped.end());
    return {};
  }

  Result<void> join() {
    PACO_ASSIGN(const auto writer, io::create_embeddings(options_.out, dimension_));
    for (std::size_t number = 0; number < parts_; ++number) {
      PACO_ASSIGN(const Part part,
                  read_part(part_path(options_.out, number), dimension_, identity_));
      PACO_TRY(append(*writer, part));
    }
    PACO_TRY(append(*writer, current_));
    if (options_.record) {
      PACO_TRY(io::write_embedding_record(*options_.record, options_.out));
    } else {
      PACO_TRY(io::remove_embedding_record(options_.out));
    }
    PACO_TRY(writer->commit());
    for (std::size_t number = parts_; number-- > 0;)
      PACO_TRY(core::remove_file(part_path(options_.out, number)));
    return {};
  }

  const ImageSource& source_;
  const std::vector<std::size_t>& order_;
  ImageEmbedder& embedder_;
  const EmbedFileOptions& options_;
  std::size_t dimension_;
  std::string identity_;
  std::size_t parts_ = 0;  // written so far
  std::size_t done_ = 0;   // entries of order_ that they answer
  Part current_;
  double last_part_ = 0;
  EmbedReport report_;
};

}  // namespace

Result<EmbedReport> embed_to_file(const ImageSource& source, const std::vector<std::size_t>& order,
                                  ImageEmbedder& embedder, const EmbedFileOptions& options,
                                  core::Progress& progress, std::stop_token stop) {
  return FileRun(source, order, embedder, options).run(progress, std::move(stop));
}

}  // namespace paco::embed
