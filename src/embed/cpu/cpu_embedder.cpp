#include "embed/cpu/cpu_embedder.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cassert>
#include <deque>
#include <mutex>
#include <new>

#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/cpu/network.hpp"
#include "embed/weights/run_folder.hpp"
#include "embed/weights/weights.hpp"

namespace paco::embed {
namespace {

// A hash of the description and of all numbers: FNV-1a in several independent lanes, which the
// processor computes in parallel.
class Fingerprint {
 public:
  Fingerprint() { lanes_.fill(0xcbf29ce484222325ull); }
  void add(std::string_view text) {
    for (const char character : text) mix(static_cast<unsigned char>(character));
  }
  void add(const std::vector<float>& numbers) {
    for (const float number : numbers) mix(std::bit_cast<std::uint32_t>(number));
  }
  std::uint64_t value() {
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
      at_ = 0;
      mix(lanes_[lane]);
    }
    return lanes_[0];
  }

 private:
  static constexpr std::size_t kLanes = 8;
  void mix(std::uint64_t number) {
    lanes_[at_] = (lanes_[at_] ^ number) * 0x100000001b3ull;
    at_ = (at_ + 1) % kLanes;
  }
  std::array<std::uint64_t, kLanes> lanes_;
  std::size_t at_ = 0;
};

class CpuEmbedder final : public ImageEmbedder {
 public:
  CpuEmbedder(NetSpec spec, unsigned threads) : spec_(std::move(spec)), pool_(threads) {}

  Result<void> load(const StateDict& tensors, const std::string& origin,
                    const EmbedderSettings& settings) {
    CpuPrecision precision = CpuPrecision::float32;
    if (settings.precision != "auto") {
      PACO_ASSIGN(precision, parse_cpu_precision(settings.precision));
    }
    PACO_ASSIGN(network_, make_network(spec_, tensors, origin, precision));
    Fingerprint print;
    print.add(spec_to_json(spec_) + " cpu " + cpu_precision_name(precision));
    for (const NamedTensor& tensor : tensors) print.add(tensor.values);
    fingerprint_ = print.value();
    return {};
  }

  const NetSpec& spec() const override { return spec_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  const math::Matrix<float>& classifier() const override { return classifier_; }
  const std::vector<std::string>& ignored_tensors() const override { return ignored_; }
  std::uint64_t fingerprint() const override { return fingerprint_; }

  Result<void> submit(const Batch& batch) override {
    assert(batch.input == spec_.input);
    try {
      done_.push_back(run(batch.pixels.get(), batch.samples.size()));
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::out_of_memory, "not enough memory to embed an image",
                   "use fewer --threads, a smaller --input or a smaller backbone"};
    }
    return {};
  }

  Result<void> collect(Rows<float> out) override {
    assert(!done_.empty() && done_.front().rows() == out.rows);
    const math::Matrix<float> rows = std::move(done_.front());
    done_.pop_front();
    std::copy_n(rows.data(), out.rows * out.columns, out.data);
    return {};
  }

  std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> allocator() const override {
    return {};
  }

  void describe(std::vector<std::string> class_names, math::Matrix<float> classifier,
                std::vector<std::string> ignored) {
    class_names_ = std::move(class_names);
    classifier_ = std::move(classifier);
    ignored_ = std::move(ignored);
  }

 private:
  math::Matrix<float> run(const std::uint8_t* pixels, std::size_t count) {
    const std::size_t image = static_cast<std::size_t>(spec_.input) * spec_.input * 3;
    math::Matrix<float> out(count, static_cast<std::size_t>(spec_.embedding()));
    pool_.parallel_for(count, network_->group(), [&](std::size_t first, std::size_t last) {
      std::unique_ptr<Scratch> scratch = take_scratch();
      network_->run(pixels + first * image, last - first, out[first].data(), *scratch);
      const std::lock_guard lock(mutex_);
      scratches_.push_back(std::move(scratch));
    });
    return out;
  }

  std::unique_ptr<Scratch> take_scratch() {
    const std::lock_guard lock(mutex_);
    if (scratches_.empty()) return std::make_unique<Scratch>();
    std::unique_ptr<Scratch> scratch = std::move(scratches_.back());
    scratches_.pop_back();
    return scratch;
  }

  NetSpec spec_;
  core::ThreadPool pool_;
  std::unique_ptr<Network> network_;
  std::uint64_t fingerprint_ = 0;
  std::vector<std::string> class_names_;
  math::Matrix<float> classifier_;
  std::vector<std::string> ignored_;
  std::deque<math::Matrix<float>> done_;  // submitted, not collected
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> scratches_;  // that no thread is using
};

}  // namespace

Result<std::unique_ptr<ImageEmbedder>> open_cpu_run(const std::string& path,
                                                    const EmbedderSettings& settings) {
  PACO_ASSIGN(TrainedRun run, read_run(path));
  StateDict weights;
  math::Matrix<float> classifier;
  for (NamedTensor& tensor : run.tensors) {
    if (tensor.name == "classifier.weight")
      classifier = math::Matrix<float>(tensor.shape[0], tensor.shape[1],
                                       {tensor.values.begin(), tensor.values.end()});
    else
      weights.push_back(std::move(tensor));
  }
  auto embedder = std::make_unique<CpuEmbedder>(run.net, settings.threads);
  PACO_TRY(embedder->load(weights, path, settings));
  embedder->describe(std::move(run.class_names), std::move(classifier), {});
  return std::unique_ptr<ImageEmbedder>(std::move(embedder));
}

Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const StateDict& weights,
                                                         const std::string& origin,
                                                         const EmbedderSettings& settings) {
  NetSpec bare = spec;
  bare.dimension = 0;
  PACO_ASSIGN(bare, fit_spec(bare, weights, origin));
  PACO_ASSIGN(BackboneTensors usable, backbone_tensors(weights, origin));
  StateDict tensors;
  for (const auto& each : usable.tensors)
    tensors.push_back({"backbone." + each.first, each.second->shape, each.second->values});
  auto embedder = std::make_unique<CpuEmbedder>(bare, settings.threads);
  PACO_TRY(embedder->load(tensors, origin, settings));
  embedder->describe({}, {}, std::move(usable.ignored));
  return std::unique_ptr<ImageEmbedder>(std::move(embedder));
}

Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const std::string& weights,
                                                         const EmbedderSettings& settings) {
  if (!weights.empty()) {
    PACO_ASSIGN(const StateDict tensors, read_state_dict(weights));
    return open_cpu_backbone(spec, tensors, weights, settings);
  }
  NetSpec bare = spec;
  bare.dimension = 0;
  auto embedder = std::make_unique<CpuEmbedder>(bare, settings.threads);
  PACO_TRY(embedder->load(fresh_tensors(bare, 0), "fresh weights", settings));
  return std::unique_ptr<ImageEmbedder>(std::move(embedder));
}

}  // namespace paco::embed
