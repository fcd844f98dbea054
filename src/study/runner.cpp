#include "study/runner.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"

namespace paco::study {
namespace {

// Runs that share a calibration.
struct Job {
  std::vector<std::size_t> runs;
};

class Runner {
 public:
  Runner(const std::vector<Run>& runs, const std::vector<DataSet>& data,
         const RunnerOptions& options, std::stop_token stop)
      : runs_(runs),
        data_(data),
        options_(options),
        stop_(std::move(stop)),
        results_(runs.size()) {}

  Result<std::vector<RunResult>> run(core::Progress& progress) {
    PACO_TRY(core::make_folder(options_.folder));
    take_what_is_there();
    const std::vector<Job> jobs = open_jobs();
    progress.start("study", "runs", runs_.size());
    progress.update(done_);
    {
      std::vector<std::jthread> workers;
      const unsigned wanted = options_.threads == 0 ? core::available_threads() : options_.threads;
      const std::size_t count = std::min<std::size_t>(wanted, jobs.size());
      working_ = count;
      for (std::size_t w = 0; w < count; ++w) workers.emplace_back([this, &jobs] { work(jobs); });
      std::unique_lock lock(mutex_);
      std::size_t shown = done_;
      while (working_ > 0 || shown != done_) {
        changed_.wait(lock, [&] { return working_ == 0 || shown != done_; });
        shown = done_;
        const std::string note = note_;
        lock.unlock();
        progress.update(shown, note);
        lock.lock();
      }
    }
    progress.finish();
    if (error_) return *error_;
    if (stop_.stop_requested()) {
      return Error{ErrorCode::interrupted,
                   fmt::format("interrupted after {} of {} runs", done_, runs_.size()),
                   "the same command goes on where it was"};
    }
    std::vector<RunResult> out;
    for (auto& result : results_) out.push_back(std::move(*result));
    return out;
  }

 private:
  const DataSet& data_of(const Run& run) const { return data_[run.data]; }

  void take_what_is_there() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::string key = run_key(runs_[i], data_of(runs_[i]));
      const auto bytes = core::read_file(result_path(options_.folder, key));
      if (!bytes.ok()) continue;
      results_[i] =
          result_from_text({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, key);
      done_ += results_[i].has_value();
    }
  }

  std::vector<Job> open_jobs() const {
    std::vector<Job> jobs;
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (results_[i]) continue;
      const auto [found, fresh] =
          place.emplace(calibration_key(runs_[i], data_of(runs_[i])), jobs.size());
      if (fresh) jobs.emplace_back();
      jobs[found->second].runs.push_back(i);
    }
    // The longest first, so that no worker begins one when the others have nothing left to do.
    const auto work = [&](const Job& job) {
      double sum = 0;
      for (const std::size_t i : job.runs) sum += expected_work(runs_[i], data_of(runs_[i]));
      return sum;
    };
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](const Job& a, const Job& b) { return work(a) > work(b); });
    return jobs;
  }

  void work(const std::vector<Job>& jobs) {
    for (;;) {
      std::size_t mine = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == jobs.size() || error_ || stop_.stop_requested()) {
          --working_;
          changed_.notify_one();
          return;
        }
        mine = next_++;
      }
      const Result<void> outcome = carry_out(jobs[mine]);
      if (outcome.ok()) continue;
      const std::lock_guard lock(mutex_);
      if (!error_ && outcome.error().code != ErrorCode::interrupted) error_ = outcome.error();
    }
  }

  Result<void> carry_out(const Job& job) {
    const Run& first = runs_[job.runs.front()];
    const std::string& set = data_of(first).name;
    const DataSet data = shaped(data_of(first), first.shape);
    const double start = options_.clock();
    Result<Model> calibrated = calibrate_run(first, data, stop_);
    const double seconds = options_.clock() - start;
    const auto named = [&](const Error& error, const Run& run) {
      return Error{error.code, fmt::format("{} on {}: {}", run.contender.label, set, error.message),
                   error.hint};
    };
    if (!calibrated.ok()) return named(calibrated.error(), first);
    const auto model = std::make_shared<const Model>(std::move(calibrated).value());
    for (const std::size_t i : job.runs) {
      Result<RunResult> result = execute_run(runs_[i], data, model, options_.clock, stop_);
      if (!result.ok()) return named(result.error(), runs_[i]);
      result->calibrate_seconds = seconds;
      const std::string key = run_key(runs_[i], data_of(runs_[i]));
      PACO_TRY(core::write_file(result_path(options_.folder, key),
                                std::string_view(result_to_text(*result, key))));
      const std::lock_guard lock(mutex_);
      results_[i] = std::move(result).value();
      ++done_;
      note_ = fmt::format("{} on {}", runs_[i].contender.label, set);
      changed_.notify_one();
    }
    return {};
  }

  const std::vector<Run>& runs_;
  const std::vector<DataSet>& data_;
  const RunnerOptions& options_;
  std::stop_token stop_;
  std::vector<std::optional<RunResult>> results_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0, working_ = 0;
  std::string note_;
  std::optional<Error> error_;
};

}  // namespace

std::string result_path(const std::string& folder, const std::string& key) {
  return fmt::format("{}/{:016x}.json", folder, XXH3_64bits(key.data(), key.size()));
}

Result<std::vector<RunResult>> carry_out(const std::vector<Run>& runs,
                                         const std::vector<DataSet>& data,
                                         const RunnerOptions& options, core::Progress& progress,
                                         std::stop_token stop) {
  return Runner(runs, data, options, std::move(stop)).run(progress);
}

}  // namespace paco::study
