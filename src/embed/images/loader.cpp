#include "embed/images/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "embed/images/images.hpp"
#include "embed/images/preprocess.hpp"

namespace paco::embed {
namespace {

constexpr int kChannels = 3;
constexpr std::size_t kLargestGrain = 16;  // samples a worker takes at a time

std::shared_ptr<std::uint8_t[]> heap_memory(std::size_t bytes) {
  return std::shared_ptr<std::uint8_t[]>(new std::uint8_t[bytes]);
}

}  // namespace

struct Loader::State {
  // A batch that workers are filling. Every sample has a fixed place; unreadable samples leave a
  // gap that next() closes.
  struct Work {
    std::shared_ptr<std::uint8_t[]> pixels;
    std::vector<std::optional<Error>> errors;
    std::size_t left = 0;  // samples not done yet
  };

  const ImageSource& source;
  std::vector<std::size_t> order;
  LoaderSettings settings;
  std::stop_token stop;
  std::size_t view_bytes = 0;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, Work> works;  // by batch number; nodes do not move
  std::size_t next_sample = 0;        // position in order that the next worker takes
  std::size_t next_batch = 0;         // that next() delivers
  std::optional<Error> failure;       // memory that could not be had, and the like
  bool closing = false;
  std::vector<std::jthread> workers;

  State(const ImageSource& source_, std::vector<std::size_t> order_, LoaderSettings settings_,
        std::stop_token stop_)
      : source(source_),
        order(std::move(order_)),
        settings(std::move(settings_)),
        stop(std::move(stop_)) {}

  bool ending() const { return closing || failure || stop.stop_requested(); }
  std::size_t batch_size(std::size_t batch) const {
    return std::min(settings.batch, order.size() - batch * settings.batch);
  }
  std::uint8_t* place(const Work& work, std::size_t count, int view, std::size_t row) const {
    return work.pixels.get() + (static_cast<std::size_t>(view) * count + row) * view_bytes;
  }

  std::optional<Error> fill(const Work& work, std::size_t count, std::size_t row,
                            std::size_t sample) {
    const auto image = source.load(sample);
    if (!image.ok()) return image.error();
    const int width = static_cast<int>(image->width), height = static_cast<int>(image->height);
    if (width < 1 || height < 1 || image->channels != kChannels)
      return Error{ErrorCode::bad_value, "the image has no pixels", "remove it"};
    for (int view = 0; view < settings.views; ++view) {
      const ViewKey key{settings.seed, settings.epoch, sample, static_cast<std::uint64_t>(view)};
      const Placement placement =
          settings.augment ? random_placement(width, height, settings.input, key, image->loader)
                           : centre_placement(width, height, settings.input, image->loader);
      make_view(*image, placement, settings.input, {place(work, count, view, row), view_bytes});
    }
    return std::nullopt;
  }

  // Takes a few samples at a time until none is left.
  void run_worker(std::size_t grain) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return ending() || next_sample >= order.size() ||
               next_sample / settings.batch <= next_batch + settings.ahead;
      });
      if (ending() || next_sample >= order.size()) return;
      const std::size_t batch = next_sample / settings.batch;
      const std::size_t begin = next_sample - batch * settings.batch;
      const std::size_t count = batch_size(batch);
      const std::size_t end = std::min(begin + grain, count);
      next_sample += end - begin;
      Work& work = works[batch];
      if (!work.pixels) {
        work.pixels =
            settings.allocate(count * static_cast<std::size_t>(settings.views) * view_bytes);
        work.errors.resize(count);
        work.left = count;
      }
      lock.unlock();
      for (std::size_t row = begin; row < end; ++row)
        work.errors[row] = fill(work, count, row, order[batch * settings.batch + row]);
      lock.lock();
      work.left -= end - begin;
      if (work.left == 0) changed.notify_all();
    }
  }

  void run_guarded(std::size_t grain) {
    try {
      run_worker(grain);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex);
      failure = Error{ErrorCode::out_of_memory, fmt::format("preparing images: {}", error.what()),
                      "use a smaller --batch or fewer threads"};
      changed.notify_all();
    }
  }

  Result<Batch> finish(std::size_t number, Work work) const {
    Batch batch;
    batch.input = settings.input;
    batch.views = settings.views;
    batch.asked = batch_size(number);
    for (std::size_t row = 0; row < batch.asked; ++row) {
      const std::size_t sample = order[number * settings.batch + row];
      if (!work.errors[row]) {
        batch.samples.push_back(sample);
        continue;
      }
      SkippedImage skipped{sample, source.name(sample), *work.errors[row]};
      if (settings.strict)
        return Error{skipped.error.code,
                     fmt::format("image {} ({}): {}", sample, skipped.name, skipped.error.message),
                     "remove the image, or leave out --strict to skip such images"};
      batch.skipped.push_back(std::move(skipped));
    }
    if (!batch.skipped.empty()) close_gaps(work, batch);
    batch.pixels = std::move(work.pixels);
    return batch;
  }

  // Moves the views together: first view 0 of every sample that was read.
  void close_gaps(const Work& work, const Batch& batch) const {
    std::uint8_t* to = work.pixels.get();
    for (int view = 0; view < settings.views; ++view)
      for (std::size_t row = 0; row < batch.asked; ++row) {
        if (work.errors[row]) continue;
        const std::uint8_t* from = place(work, batch.asked, view, row);
        if (from != to) std::copy(from, from + view_bytes, to);
        to += view_bytes;
      }
  }
};

Loader::Loader(const ImageSource& source, std::vector<std::size_t> order, LoaderSettings settings,
               std::stop_token stop)
    : state_(
          std::make_unique<State>(source, std::move(order), std::move(settings), std::move(stop))) {
  LoaderSettings& mine = state_->settings;
  mine.batch = std::max<std::size_t>(mine.batch, 1);
  mine.threads = std::max(mine.threads, 1u);
  if (!mine.allocate) mine.allocate = heap_memory;
  state_->view_bytes = static_cast<std::size_t>(mine.input) * mine.input * kChannels;
  const std::size_t grain =
      std::clamp<std::size_t>(mine.batch / (std::size_t{4} * mine.threads), 1, kLargestGrain);
  for (unsigned i = 0; i < mine.threads; ++i)
    state_->workers.emplace_back([state = state_.get(), grain] { state->run_guarded(grain); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->changed.notify_all();
  state_->workers.clear();  // joins
}

Result<std::optional<Batch>> Loader::next() {
  State& state = *state_;
  // Declared before the lock: the thread that requests the stop runs this, and it must not wait for
  // next().
  const std::stop_callback wake(state.stop, [&state] {
    const std::lock_guard lock(state.mutex);
    state.changed.notify_all();
  });
  std::unique_lock lock(state.mutex);
  const std::size_t number = state.next_batch;
  if (number * state.settings.batch >= state.order.size()) return std::optional<Batch>();
  const auto ready = [&] {
    const auto found = state.works.find(number);
    return found != state.works.end() && found->second.left == 0;
  };
  state.changed.wait(lock, [&] { return state.ending() || ready(); });
  if (state.failure) return *state.failure;
  if (state.stop.stop_requested())
    return Error{ErrorCode::interrupted, "interrupted while images were being prepared", ""};
  State::Work work = std::move(state.works.extract(number).mapped());
  ++state.next_batch;
  state.changed.notify_all();
  lock.unlock();
  auto batch = state.finish(number, std::move(work));
  if (!batch.ok()) return batch.error();
  return std::optional<Batch>(std::move(batch).value());
}

}  // namespace paco::embed
