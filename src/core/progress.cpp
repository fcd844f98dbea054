#include "core/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace paco::core {
namespace {

// The common part of the bar and the rows: the count, the clock and the arithmetic.
class Counting : public Progress {
 public:
  Counting(TextSink sink, Clock clock) : sink_(std::move(sink)), clock_(std::move(clock)) {}

  void start(std::string_view title, std::string_view unit,
             std::optional<std::uint64_t> total) override {
    title_ = title;
    unit_ = unit;
    total_ = total;
    note_.clear();
    done_ = 0;
    started_ = clock_();
    begin();
  }

  void update(std::uint64_t done, std::string_view note) override {
    done_ = done;
    note_ = note;
    advance();
  }

 protected:
  virtual void begin() = 0;
  virtual void advance() = 0;

  double seconds() const { return clock_() - started_; }
  double rate(double seconds) const {
    return seconds > 0 ? static_cast<double>(done_) / seconds : 0.0;
  }
  // Seconds that remain at the present rate; negative if unknown.
  double remaining(double seconds) const {
    if (!total_ || done_ == 0 || seconds <= 0) return -1.0;
    return static_cast<double>(*total_ - std::min(*total_, done_)) / rate(seconds);
  }

  TextSink sink_;
  Clock clock_;
  std::string title_, unit_, note_;
  std::optional<std::uint64_t> total_;
  std::uint64_t done_ = 0;
  double started_ = 0.0;
};

class Bar final : public Counting {
 public:
  Bar(TextSink sink, Clock clock, unsigned columns)
      : Counting(std::move(sink), std::move(clock)), columns_(std::max(columns, 40U)) {}

  void finish() override {
    draw();
    sink_("\n");
  }

 private:
  static constexpr double kSecondsBetweenDrawings = 0.1;
  static constexpr int kBarCells = 24;

  void begin() override {
    drawn_at_ = -kSecondsBetweenDrawings;
    draw();
  }

  void advance() override {
    if (seconds() - drawn_at_ >= kSecondsBetweenDrawings) draw();
  }

  void draw() {
    const double now = seconds();
    drawn_at_ = now;
    std::string line = title_ + " ";
    if (total_ && *total_ > 0) {
      const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_));
      const int cells = static_cast<int>(share * kBarCells);
      line +=
          fmt::format("[{}{}] {:3.0f}% {}/{} {}", std::string(static_cast<std::size_t>(cells), '#'),
                      std::string(static_cast<std::size_t>(kBarCells - cells), '.'),
                      std::floor(100 * share), done_, *total_, unit_);
    } else {
      line += fmt::format("{} {}", done_, unit_);
    }
    line += fmt::format(", {:.4g}/s", rate(now));
    if (const double left = remaining(now); left >= 0)
      line += ", " + format_duration(left) + " left";
    if (!note_.empty()) line += ", " + note_;
    if (line.size() >= columns_)
      line.resize(columns_ - 1);  // a line that wraps cannot be overwritten
    sink_("\r\x1b[K" + line);
  }

  unsigned columns_;
  double drawn_at_ = 0.0;
};

class RowsOfProgress final : public Counting {
 public:
  using Counting::Counting;

  void finish() override {
    if (done_ != last_row_ || done_ == 0) row();
  }

 private:
  void begin() override {
    next_row_ = 1;
    last_row_ = 0;
    const std::string of_total = total_ ? fmt::format("{} {}", *total_, unit_) : unit_;
    sink_(fmt::format("{}: {}\n{:>12} {:>10} {:>12} {:>8}\n", title_, of_total, unit_, "seconds",
                      "per second", "left"));
  }

  void advance() override {
    if (done_ < next_row_) return;
    row();
    while (next_row_ <= done_) next_row_ *= 2;
  }

  void row() {
    const double now = seconds();
    last_row_ = done_;
    sink_(fmt::format("{:>12} {:>10.3f} {:>12.1f} {:>8}{}{}\n", done_, now, rate(now),
                      format_duration(remaining(now)), note_.empty() ? "" : "  ", note_));
  }

  std::uint64_t next_row_ = 1;
  std::uint64_t last_row_ = 0;
};

}  // namespace

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

std::unique_ptr<Progress> make_progress_bar(TextSink sink, Clock clock, unsigned columns) {
  return std::make_unique<Bar>(std::move(sink), std::move(clock), columns);
}

std::unique_ptr<Progress> make_progress_rows(TextSink sink, Clock clock) {
  return std::make_unique<RowsOfProgress>(std::move(sink), std::move(clock));
}

std::string format_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "-";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace paco::core
