// Made events for the tests of the journal: settings with a choice among the evidence, and a stream
// of samples and operations that is a function of a seed and the place in the stream alone, so that
// any prefix can be compared with what a journal gives back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.hpp"
#include "journal/faulty_disk.hpp"
#include "journal/journal.hpp"

namespace paco::testing {

inline constexpr journal::Durability kFull{};
inline constexpr journal::Durability kRelaxed{false, std::chrono::milliseconds(1)};

inline journal::JournalSettings made_settings(std::size_t dimension = 6) {
  journal::JournalSettings settings;
  settings.method = "made";
  settings.options = R"({"alpha":0.5})";
  settings.model = "fingerprint";
  settings.created = 1.7e9;
  settings.dimension = dimension;
  settings.verdicts = {"known", "existing", "created"};
  settings.evidence = {{"branch", "which rule decided", true, {"known_only", "it's \"new\""}},
                       {"margin", "best minus second", false, {}},
                       {"Top cosine", "best cosine", false, {}}};
  return settings;
}

inline std::vector<std::byte> synthetic_bytes(std::size_t size, std::uint64_t seed) {
  core::Random random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next64());
  return bytes;
}

// Owns what the views of a SampleRow show.
struct MadeSample {
  journal::SampleRow row;
  std::vector<double> embedding;
};

// A stream whose sample i depends on the seed and i alone.
class MadeStream {
 public:
  explicit MadeStream(std::uint64_t seed, std::size_t dimension = 6)
      : seed_(seed), dimension_(dimension) {}

  MadeSample sample(std::uint64_t sequence, std::uint64_t event) const {
    core::Random random(seed_, sequence);
    MadeSample made;
    made.row.event = event;
    made.row.sequence = sequence;
    made.row.category = static_cast<std::int64_t>(random.below(5));
    made.row.prototype = static_cast<std::int64_t>(random.below(7));
    made.row.runner_up = static_cast<std::int64_t>(random.below(5));
    made.row.verdict = static_cast<Verdict>(random.below(3));
    made.row.counted = random.below(2) == 1;
    made.row.score = random.normal();
    made.row.threshold = sequence % 7 == 3 ? -0.0 : random.normal();
    made.row.evidence[0] = static_cast<double>(random.below(2));
    made.row.evidence[1] = sequence % 5 == 2 ? std::nan("") : random.normal();
    made.row.evidence[2] = random.uniform();
    // Groups of each type that embeddings are stored in.
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double number = random.normal();
      made.embedding.push_back(sequence % 3 == 0   ? std::round(number * 8) / 8
                               : sequence % 3 == 1 ? static_cast<float>(number)
                                                   : number);
    }
    if (sequence % 2 == 0) made.row.key = "key " + std::to_string(sequence);
    made.row.sample = "picture_" + std::to_string(sequence) + ".jpg";
    return made;
  }

 private:
  std::uint64_t seed_;
  std::size_t dimension_;
};

// Samples [from, from + count) as rows; their memory lives as long as the group.
class MadeGroup {
 public:
  MadeGroup(const MadeStream& stream, std::uint64_t from, std::size_t count,
            std::uint64_t operations_before = 0) {
    for (std::size_t i = 0; i < count; ++i)
      samples_.push_back(stream.sample(from + i, from + i + operations_before));
    for (MadeSample& made : samples_) {
      made.row.embedding = made.embedding;
      rows_.push_back(made.row);
    }
  }
  std::span<const journal::SampleRow> rows() const { return rows_; }
  std::vector<journal::SampleRow>& rows() { return rows_; }

 private:
  std::vector<MadeSample> samples_;
  std::vector<journal::SampleRow> rows_;
};

inline journal::CategoryRow made_category(std::int64_t id, std::vector<std::int64_t> prototypes) {
  return {id,
          "category " + std::to_string(id),
          id < 2 ? "known" : "discovered",
          id,
          false,
          0,
          std::move(prototypes)};
}

inline journal::OperationRow made_operation(std::uint64_t event, std::uint64_t sequence) {
  journal::OperationRow row;
  row.event = event;
  row.sequence = sequence;
  row.time = 1.7e9 + static_cast<double>(event);
  row.actor = "someone";
  row.kind = "rename";
  row.request = R"({"category":1,"name":"heron"})";
  row.outcome = R"({"was":"category 1"})";
  if (event % 2 == 1) row.undoes = event - 1;
  return row;
}

inline bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Is the stored sample exactly the one that was given?
inline ::testing::AssertionResult is_sample(const io::DecidedSample& stored,
                                            const journal::SampleRow& given) {
  const auto differ = [&](const char* what) {
    return ::testing::AssertionFailure() << "sample " << given.sequence << ": " << what;
  };
  if (stored.event != given.event || stored.sequence != given.sequence) return differ("place");
  if (stored.category != given.category || stored.prototype != given.prototype ||
      stored.runner_up != given.runner_up || stored.verdict != given.verdict ||
      stored.counted != given.counted) {
    return differ("decision");
  }
  if (!same_number(stored.score, given.score) || !same_number(stored.threshold, given.threshold))
    return differ("score");
  for (std::size_t i = 0; i < given.evidence.size(); ++i) {
    if (!same_number(stored.evidence[i], given.evidence[i])) return differ("evidence");
  }
  if (stored.key != given.key) return differ("key");
  if (stored.sample != given.sample) return differ("name");
  return ::testing::AssertionSuccess();
}

// Does the journal hold the first `count` samples of the stream, and no more, with their
// embeddings?
inline ::testing::AssertionResult holds_prefix(journal::JournalReader& journal,
                                               const MadeStream& stream, std::uint64_t count) {
  const auto tail = journal.tail();
  if (!tail.ok()) return ::testing::AssertionFailure() << tail.error().message;
  if (tail->samples != count)
    return ::testing::AssertionFailure() << tail->samples << " samples, " << count << " expected";
  const auto stored = journal.samples(0, count + 1);
  if (!stored.ok()) return ::testing::AssertionFailure() << stored.error().message;
  if (stored->size() != count) return ::testing::AssertionFailure() << stored->size() << " rows";
  for (std::uint64_t i = 0; i < count; ++i) {
    const MadeGroup given(stream, i, 1, (*stored)[i].event - i);
    if (auto same = is_sample((*stored)[i], given.rows()[0]); !same) return same;
    const auto embedding = journal.embedding(i);
    if (!embedding.ok()) return ::testing::AssertionFailure() << embedding.error().message;
    if (!embedding->has_value() ||
        !std::equal((*embedding)->begin(), (*embedding)->end(), given.rows()[0].embedding.begin(),
                    given.rows()[0].embedding.end(), same_number)) {
      return ::testing::AssertionFailure() << "embedding of sample " << i;
    }
  }
  return ::testing::AssertionSuccess();
}

// While alive, no sync reaches the disk, so that a test of thousands of journals ends soon.
class NoSync : public journal::DiskWatch {
 public:
  NoSync() { journal::watch_disk(this); }
  ~NoSync() override { journal::watch_disk(nullptr); }
  NoSync(const NoSync&) = delete;
  NoSync& operator=(const NoSync&) = delete;
  journal::DiskAnswer before(const journal::DiskStep& step) override {
    return step.operation == journal::DiskOperation::sync ? journal::DiskAnswer::pretend
                                                          : journal::DiskAnswer::proceed;
  }
};

// Everything that a journal says, as one text: equal texts, equal content.
inline std::string content_of(journal::JournalReader& journal) {
  std::string text = journal.settings().method + journal.settings().options;
  const auto add = [&](const auto& value) { text += ::testing::PrintToString(value) + "\n"; };
  const auto tail = journal.tail();
  if (!tail.ok()) return tail.error().message;
  add(tail->chain);
  const auto model = journal.model();
  if (!model.ok()) return model.error().message;
  text.append(reinterpret_cast<const char*>(model->data()), model->size());
  const auto events = journal.events(0, 1'000'000);
  if (!events.ok()) return events.error().message;
  for (const journal::StoredEvent& event : *events) {
    if (const auto* row = std::get_if<journal::OperationRow>(&event)) {
      add(std::tuple(row->event, row->sequence, row->time, row->actor, row->kind, row->request,
                     row->outcome, row->undoes));
      continue;
    }
    const auto& row = std::get<io::DecidedSample>(event);
    add(std::tuple(row.event, row.sequence, row.category, row.prototype, row.runner_up,
                   static_cast<int>(row.verdict), row.counted, row.score, row.threshold));
    add(std::tuple(row.evidence, row.key, row.sample));
    const auto embedding = journal.embedding(row.sequence);
    if (!embedding.ok()) return embedding.error().message;
    add(*embedding);
    const auto member = journal.membership(row.sequence);
    if (!member.ok()) return member.error().message;
    if (*member) add(std::tuple((*member)->prototype, (*member)->counted));
  }
  const auto categories = journal.categories();
  if (!categories.ok()) return categories.error().message;
  for (const journal::CategoryRow& row : *categories)
    add(std::tuple(row.id, row.name, row.kind, row.now, row.retired, row.born, row.prototypes));
  const auto sources = journal.sources();
  if (!sources.ok()) return sources.error().message;
  for (const journal::SourceRow& row : *sources)
    add(std::tuple(row.identity, row.first, row.name, row.consumed, row.digest));
  const auto snapshots = journal.snapshots();
  if (!snapshots.ok()) return snapshots.error().message;
  for (const journal::SnapshotInfo& info : *snapshots) {
    const auto snapshot = journal.newest_snapshot(info.event);
    if (!snapshot.ok() || !snapshot->has_value()) return "a snapshot cannot be read";
    add(std::tuple(info.event, info.sequence, info.digest));
    text.append(reinterpret_cast<const char*>((*snapshot)->bytes.data()),
                (*snapshot)->bytes.size());
  }
  return text;
}

// A closed journal with something in every table: 24 samples, two operations, four categories, a
// moved sample, two snapshots.
inline void make_full_journal(const std::string& path, std::uint64_t seed = 1) {
  const MadeStream stream(seed);
  auto journal =
      journal::Journal::create(path, made_settings(), synthetic_bytes(300, seed), {}, {});
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const std::vector<journal::CategoryRow> born = {made_category(0, {0}), made_category(1, {1, 4}),
                                                  made_category(2, {2, 5, 6}),
                                                  made_category(3, {3})};
  const journal::SourceRow source{0x5eed, 0, "stream.npy", 16, 0xd19e57};
  ASSERT_TRUE(journal->append(MadeGroup(stream, 0, 16).rows(), born, &source).ok());
  ASSERT_TRUE(journal->append(made_operation(16, 16), {}, {}).ok());
  const journal::Membership moved[] = {{3, 2, true}, {5, 1, false}};
  ASSERT_TRUE(journal->append(made_operation(17, 16), {}, moved).ok());
  ASSERT_TRUE(journal->append(MadeGroup(stream, 16, 8, 2).rows(), {}).ok());
  ASSERT_TRUE(journal->save_snapshot(18, 16, "first", synthetic_bytes(200, seed)).ok());
  ASSERT_TRUE(journal->save_snapshot(26, 24, "second", synthetic_bytes(150, seed + 1)).ok());
  ASSERT_TRUE(journal->close().ok());
}

}  // namespace paco::testing
