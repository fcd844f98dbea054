// What deciding on the bus costs beside plain publishing and consuming of the same bytes on the
// same servers, in turns: bench_bus SERVERS SAMPLES DIMENSION ROUNDS [PROCESS...], one JSON object
// on stdout. With the process ids of the servers also what a sample costs them in processor time.
//
// Both sides publish the same messages with the same window; the plain side reads them back in
// order, the other decides on them with a journal and ends when every decision stands. Every
// decision is there before a time is reported.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "bus/event.hpp"
#include "bus/outbox.hpp"
#include "bus/reader.hpp"
#include "bus/run_replica.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"
#include "math/matrix.hpp"
#include "paco/session.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kClasses = 50, kKnown = 40, kSupport = 20;

// Classes around random directions.
class MadeRows {
 public:
  explicit MadeRows(std::size_t dimension) : dimension_(dimension) {
    for (std::size_t i = 0; i < kClasses * dimension; ++i) centres_.push_back(normal_(random_));
  }
  void draw(std::size_t label, std::span<double> out) {
    for (std::size_t j = 0; j < dimension_; ++j)
      out[j] = static_cast<float>(centres_[label * dimension_ + j] + 0.8 * normal_(random_));
  }
  std::size_t any_label() { return random_() % kClasses; }

 private:
  const std::size_t dimension_;
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
  std::vector<double> centres_;
};

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

Result<void> publish(const std::shared_ptr<Connection>& connection, const std::string& subject,
                     const std::vector<std::string>& messages) {
  PACO_ASSIGN(const auto outbox, Outbox::open(connection, "publishing"));
  for (std::size_t i = 0; i < messages.size(); ++i)
    PACO_TRY(outbox->put(subject, fmt::format("k{}", i), messages[i], {}));
  return outbox->flush({});
}

// Processor time so far, in seconds.
struct Spent {
  double here = 0, servers = 0;
};

Spent spent(const std::vector<std::string>& servers) {
  Spent out;
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  for (const timeval& part : {own.ru_utime, own.ru_stime})
    out.here += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  for (const std::string& process : servers) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(file, text, ')');  // the name of the program may hold anything
    std::vector<std::string> words(13);
    for (std::string& word : words) file >> word;
    for (const std::size_t i : {11, 12}) out.servers += std::atof(words[i].c_str());
  }
  out.servers /= static_cast<double>(sysconf(_SC_CLK_TCK));
  return out;
}

// Publishes beside `consume`, which ends when it has seen all of it.
template <class Consume>
Result<double> time_both(const std::shared_ptr<Connection>& connection, const std::string& stream,
                         const std::vector<std::string>& messages, Consume consume) {
  const auto begun = std::chrono::steady_clock::now();
  Result<void> published;
  std::thread publisher(
      [&] { published = publish(connection, subject_of(stream, Part::events), messages); });
  const Result<void> consumed = consume();
  publisher.join();
  PACO_TRY(published);
  PACO_TRY(consumed);
  return seconds_since(begun);
}

Result<void> read_back(const std::shared_ptr<Connection>& connection, const std::string& stream,
                       std::size_t count) {
  Reader reader(connection, jetstream_of(stream, Part::events), subject_of(stream, Part::events),
                1);
  std::vector<Message> got;
  for (std::size_t seen = 0; seen < count; seen += got.size()) {
    got.clear();
    PACO_TRY(reader.take(got, 256, 20, {}));
  }
  return {};
}

Result<void> run(const std::string& servers, std::size_t samples, std::size_t dimension, int rounds,
                 const std::vector<std::string>& processes) {
  MadeRows rows(dimension);
  math::Matrix<double> support(kKnown * kSupport, dimension);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < support.rows(); ++i) {
    labels.push_back(static_cast<std::int64_t>(i % kKnown));
    rows.draw(i % kKnown, support.view()[i]);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kKnown; ++i) names.push_back(fmt::format("{}", i));
  PACO_ASSIGN(const Model model, calibrate({support, labels, names, {}}));
  std::vector<std::string> messages;
  SampleEvent sample;
  sample.embedding.resize(dimension);
  for (std::size_t i = 0; i < samples; ++i) {
    rows.draw(rows.any_label(), sample.embedding);
    sample.key = fmt::format("k{}", i);
    messages.push_back(event_bytes(sample, true));
  }
  ConnectOptions options;
  options.servers = servers;
  PACO_ASSIGN(const auto connection, Connection::open(options));
  std::string list;
  for (int round = 0; round < rounds; ++round) {
    StreamSettings settings;
    settings.method = "paco";
    settings.model = model.fingerprint();
    settings.dimension = dimension;
    settings.snapshot_every = 0;
    double times[2];
    Spent costs[2];
    for (const int plain : {1, 0}) {
      settings.name = fmt::format("bench{}{}", round, plain ? "plain" : "paco");
      PACO_TRY(init(connection, settings, {}, model, {}));
      RunOptions replica;
      replica.name = "bench";
      replica.journal = settings.name + ".journal";
      replica.until = samples;
      const Spent before = spent(processes);
      PACO_ASSIGN(times[plain],
                  time_both(connection, settings.name, messages, [&]() -> Result<void> {
                    if (plain) return read_back(connection, settings.name, samples);
                    PACO_TRY(run_replica(connection, settings, replica, {}));
                    return {};
                  }));
      const Spent after = spent(processes);
      costs[plain] = {after.here - before.here, after.servers - before.servers};
    }
    const double count = static_cast<double>(samples);
    const auto side = [&](int plain) {
      return fmt::format(R"({{"rate": {:.0f}, "us_here": {:.1f}, "us_servers": {:.1f}}})",
                         count / times[plain], 1e6 * costs[plain].here / count,
                         1e6 * costs[plain].servers / count);
    };
    list += fmt::format(R"({}{{"plain": {}, "paco": {}, "share": {:.3f}}})", round == 0 ? "" : ", ",
                        side(1), side(0), times[1] / times[0]);
  }
  fmt::print("{{\"samples\": {}, \"dimension\": {}, \"bytes\": {}, \"rounds\": [{}]}}\n", samples,
             dimension, messages.front().size(), list);
  return {};
}

}  // namespace
}  // namespace paco::bus

int main(int count, char** words) {
  if (count < 5) {
    fmt::print(stderr, "usage: bench_bus SERVERS SAMPLES DIMENSION ROUNDS [PROCESS...]\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::size_t>(std::atoll(words[i])); };
  const paco::Result<void> done = paco::bus::run(
      words[1], number(2), number(3), static_cast<int>(number(4)), {words + 5, words + count});
  if (done.ok()) return 0;
  fmt::print(stderr, "{}\n", done.error().message);
  return 1;
}
