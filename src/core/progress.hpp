// Progress reports of a long loop. The caller passes a Progress, and the loop calls it. The output
// function and the clock are passed in as well, so the library prints nothing by itself and tests
// do not have to wait.
//
//   progress.start("embed", "images", total);
//   for (...) progress.update(done);       // cheap: draws at most ten times a second
//   progress.finish();
//
// One loop at a time; calls come from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace paco::core {

using Clock = std::function<double()>;  // seconds since some fixed moment, never going back
Clock steady_clock();

using TextSink = std::function<void(std::string_view)>;

class Progress {
 public:
  virtual ~Progress() = default;
  // The title of the work, the unit that is counted, and the total if it is known.
  virtual void start(std::string_view title, std::string_view unit,
                     std::optional<std::uint64_t> total) = 0;
  // `done` so far, and a short note that is shown beside it ("loss 0.412").
  virtual void update(std::uint64_t done, std::string_view note = {}) = 0;
  virtual void finish() = 0;
};

// Prints nothing.
class NoProgress final : public Progress {
 public:
  void start(std::string_view, std::string_view, std::optional<std::uint64_t>) override {}
  void update(std::uint64_t, std::string_view) override {}
  void finish() override {}
};

// For a terminal: one line, drawn over and over, with a bar, the rate and the time that remains.
std::unique_ptr<Progress> make_progress_bar(TextSink sink, Clock clock, unsigned columns = 80);

// For a file or a pipe: a row when 1, 2, 4, 8, ... are done, and one at the end.
std::unique_ptr<Progress> make_progress_rows(TextSink sink, Clock clock);

// "0:07", "12:40", "3:05:09": for people. "-" if the duration is unknown.
std::string format_duration(double seconds);

}  // namespace paco::core
