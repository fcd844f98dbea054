// What does a journal cost? Groups of samples and single ones against plain writing with the same
// syncs on the same disk, what appending costs the calling thread in relaxed mode, and how long a
// journal of a million samples takes to open. Files lie in the present folder: what is measured is
// its disk.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "contenders.hpp"
#include "core/files.hpp"

namespace {

using namespace paco;
using bench::MadeSamples;
using bench::PlainFile;

const std::string kPath = "bench.journal";

void remove_journal() {
  for (const char* suffix : {"", "-wal", "-shm", "-tail"}) {
    if (core::path_kind(kPath + suffix) == core::PathKind::file)
      (void)core::remove_file(kPath + suffix);
  }
}

journal::Journal new_journal(const bench::Harness& harness, const MadeSamples& samples, bool full) {
  remove_journal();
  journal::Durability durability;
  durability.full = full;
  return harness.take(journal::Journal::create(kPath, samples.settings(), {}, {}, durability));
}

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The disk's speed changes from second to second, so the two take turns, a few groups each.
void durable_groups(bench::Harness& harness, MadeSamples& samples, std::size_t group,
                    std::size_t groups) {
  const std::string shape = fmt::format("d {}, groups of {}", samples.dimension(), group);
  journal::Journal journal = new_journal(harness, samples, true);
  PlainFile plain(harness, "bench.plain");
  std::vector<double> journal_times, plain_times;
  std::uint64_t next = 0;
  const std::size_t turn = 8;
  for (std::size_t round = 0; round < groups / turn; ++round) {
    double start = harness.clock()();
    std::string bytes;
    for (std::size_t i = 0; i < turn; ++i) {
      bytes.clear();
      for (const journal::SampleRow& row : samples.group(i * group, group))
        samples.append_plain(row, bytes);
      plain.write(bytes);
      plain.sync();
    }
    plain_times.push_back(harness.clock()() - start);
    start = harness.clock()();
    for (std::size_t i = 0; i < turn; ++i) {
      harness.take(journal.append(samples.group(next, group), {}));
      next += group;
    }
    journal_times.push_back(harness.clock()() - start);
  }
  const auto total = [](const std::vector<double>& times) {
    double sum = 0;
    for (const double time : times) sum += time;
    return sum;
  };
  const double items = static_cast<double>(turn * group);
  const double bytes = static_cast<double>(samples.plain_bytes()) * items;
  const double share = total(plain_times) / total(journal_times);
  harness.add({"", "plain writing", shape, timing_of(plain_times), items, 0, bytes});
  bench::Harness& h = harness;
  Measurement measured{"", "journal", shape, timing_of(journal_times), items, 0, bytes};
  measured.more = {{"share_of_plain", share}};
  h.add(measured);
  h.note(fmt::format("{}: the journal reaches {:.0f} % of plain writing", shape, 100 * share));
  harness.take(journal.close());
  remove_journal();
}

void relaxed(bench::Harness& harness, MadeSamples& samples, std::size_t group, std::size_t count) {
  const std::string shape = fmt::format("d {}, groups of {}", samples.dimension(), group);
  journal::Journal journal = new_journal(harness, samples, false);
  const double start = harness.clock()(), busy = thread_seconds();
  for (std::uint64_t next = 0; next < count; next += group)
    harness.take(journal.append(samples.group(next, group), {}));
  const double written = harness.clock()() - start, thread = thread_seconds() - busy;
  harness.take(journal.flush());
  const double synced = harness.clock()() - start;
  const auto items = static_cast<double>(count);
  harness.add({"", "relaxed, calling thread", shape, timing_of({thread}), items, 0, 0});
  harness.add({"", "relaxed, until written", shape, timing_of({written}), items, 0, 0});
  harness.add({"", "relaxed, until synced", shape, timing_of({synced}), items, 0, 0});
  harness.take(journal.close());
  remove_journal();
}

void opening(bench::Harness& harness, MadeSamples& samples, std::size_t count) {
  {
    journal::Journal journal = new_journal(harness, samples, false);
    for (std::uint64_t next = 0; next < count; next += 1000)
      harness.take(journal.append(samples.group(next, 1000), {}));
    harness.take(journal.close());
  }
  const auto bytes = static_cast<double>(harness.take(core::file_size(kPath)));
  const std::string shape = fmt::format("d {}, {} samples", samples.dimension(), count);
  harness.time(
      "open", shape, static_cast<double>(count),
      [&] {
        journal::Journal journal =
            harness.take(journal::Journal::open(kPath, journal::OpenMode::write, {}));
        harness.require(harness.take(journal.tail()).samples == count, "samples in the journal");
      },
      0, bytes);
  journal::Journal journal =
      harness.take(journal::Journal::open(kPath, journal::OpenMode::read, {}));
  const std::int64_t wanted[] = {7, 8};
  harness.time("members of two prototypes", shape, static_cast<double>(count),
               [&] { harness.take(journal.members(wanted)); });
  std::uint64_t place = 0;
  harness.time("one embedding", shape, 1000, [&] {
    for (int i = 0; i < 1000; ++i)
      harness.require(harness.take(journal.embedding(place = (place + 7919) % count)).has_value(),
                      "an embedding is missing");
  });
  core::NoProgress silent;
  const double start = harness.clock()();
  harness.require(harness.take(journal::verify_journal(kPath, silent, {})).ok,
                  "the journal is damaged");
  harness.add({"", "verify", shape, timing_of({harness.clock()() - start}),
               static_cast<double>(count), 0, bytes});
  harness.take(journal.close());
  remove_journal();
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("journal", argc, argv);
  MadeSamples narrow(8192, 192), wide(4096, 768);
  durable_groups(harness, narrow, 256, 800);
  durable_groups(harness, wide, 256, 400);
  durable_groups(harness, narrow, 1, 400);
  relaxed(harness, narrow, 256, 400'000);
  relaxed(harness, narrow, 1, 200'000);
  opening(harness, narrow, 1'000'000);
  return harness.finish();
}
