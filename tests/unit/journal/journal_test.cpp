// A journal gives back what it was given, goes on where it ended and refuses what does not fit.
#include "journal/journal.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::holds_prefix;
using testing::is_sample;
using testing::kFull;
using testing::kRelaxed;
using testing::made_category;
using testing::made_operation;
using testing::made_settings;
using testing::MadeGroup;
using testing::MadeStream;
using testing::synthetic_bytes;
using testing::TemporaryFolder;

#define ASSERT_OK(expression)                           \
  do {                                                  \
    const auto& status = (expression);                  \
    ASSERT_TRUE(status.ok()) << status.error().message; \
  } while (false)

Journal make(const std::string& path, const Durability& durability = kFull,
             const JournalSettings& settings = made_settings()) {
  auto made = Journal::create(path, settings, synthetic_bytes(50'000, 1), {}, durability);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(made).value();
}

// Both ways of writing keep all the promises.
class JournalOfEach : public ::testing::TestWithParam<bool> {
 protected:
  Durability durability() const { return GetParam() ? kFull : kRelaxed; }
  TemporaryFolder folder;
  std::string path = folder / "j";
};
INSTANTIATE_TEST_SUITE_P(Durability, JournalOfEach, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "full" : "relaxed"; });

TEST_P(JournalOfEach, GivesBackWhatItWasGiven) {
  const MadeStream stream(1);
  const std::vector<std::byte> model = synthetic_bytes(50'000, 1);
  {
    Journal journal = make(path, durability());
    std::uint64_t from = 0;
    for (const std::size_t count : {1, 3, 1, 256, 7, 300}) {
      ASSERT_OK(journal.append(MadeGroup(stream, from, count).rows(), {}));
      from += count;
    }
    EXPECT_TRUE(holds_prefix(journal, stream, 568));
    ASSERT_OK(journal.close());
  }
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre("j"));
  auto journal = Journal::open(path, OpenMode::read, kFull);
  ASSERT_OK(journal);
  EXPECT_TRUE(holds_prefix(*journal, stream, 568));
  EXPECT_EQ(journal->settings(), made_settings());
  EXPECT_EQ(journal->model().value(), model);
}

TEST_P(JournalOfEach, IsContinuedWhereItEnded) {
  const MadeStream stream(2);
  for (std::uint64_t part = 0; part < 4; ++part) {
    if (part == 0) make(path, durability());
    auto journal = Journal::open(path, OpenMode::write, durability());
    ASSERT_OK(journal);
    ASSERT_OK(journal->append(MadeGroup(stream, part * 10, 10).rows(), {}));
  }
  auto journal = Journal::open(path, OpenMode::read, kFull);
  ASSERT_OK(journal);
  EXPECT_TRUE(holds_prefix(*journal, stream, 40));
}

TEST_P(JournalOfEach, AnswersAKeyWithTheSampleThatHasIt) {
  const MadeStream stream(3);
  Journal journal = make(path, durability());
  const MadeGroup group(stream, 0, 30);
  ASSERT_OK(journal.append(group.rows(), {}));
  const auto found = journal.find_key("key 16");
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_TRUE(is_sample(**found, group.rows()[16]));
  EXPECT_FALSE(journal.find_key("key 17").value().has_value());
  EXPECT_FALSE(journal.find_key("").value().has_value());
}

TEST_P(JournalOfEach, RefusesAKeyTwiceAndGoesOn) {
  const MadeStream stream(3);
  Journal journal = make(path, durability());
  ASSERT_OK(journal.append(MadeGroup(stream, 0, 10).rows(), {}));
  MadeGroup again(stream, 10, 4);
  again.rows()[2].key = "key 4";
  const auto refused = journal.append(again.rows(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("sample 12 has the key 'key 4'"));
  MadeGroup twice(stream, 10, 4);
  twice.rows()[0].key = twice.rows()[3].key = "new";
  EXPECT_FALSE(journal.append(twice.rows(), {}).ok());
  ASSERT_OK(journal.append(MadeGroup(stream, 10, 4).rows(), {}));
  EXPECT_TRUE(holds_prefix(journal, stream, 14));
}

TEST_P(JournalOfEach, PagesThroughSamplesAndOperationsInOneOrder) {
  const MadeStream stream(4);
  Journal journal = make(path, durability());
  std::uint64_t samples = 0, operations = 0;
  std::vector<bool> is_operation;
  core::Random random(9);
  for (int step = 0; step < 40; ++step) {
    if (random.below(3) == 0) {
      ASSERT_OK(journal.append(made_operation(samples + operations, samples), {}, {}));
      ++operations;
      is_operation.push_back(true);
    } else {
      const std::size_t count = 1 + random.below(5);
      ASSERT_OK(journal.append(MadeGroup(stream, samples, count, operations).rows(), {}));
      samples += count;
      is_operation.insert(is_operation.end(), count, false);
    }
  }
  const auto tail = journal.tail();
  ASSERT_OK(tail);
  EXPECT_EQ(tail->events, samples + operations);
  EXPECT_EQ(tail->operations, operations);
  for (std::uint64_t from = 0; from <= is_operation.size(); from += 7) {
    const auto page = journal.events(from, 9);
    ASSERT_OK(page);
    ASSERT_EQ(page->size(), std::min<std::size_t>(9, is_operation.size() - from));
    for (std::size_t i = 0; i < page->size(); ++i) {
      const StoredEvent& event = (*page)[i];
      ASSERT_EQ(std::holds_alternative<OperationRow>(event), is_operation[from + i]);
      if (const auto* operation = std::get_if<OperationRow>(&event)) {
        EXPECT_EQ(*operation, made_operation(from + i, operation->sequence));
      } else {
        const auto& sample = std::get<io::DecidedSample>(event);
        const MadeGroup given(stream, sample.sequence, 1, from + i - sample.sequence);
        EXPECT_TRUE(is_sample(sample, given.rows()[0]));
      }
    }
  }
  EXPECT_EQ(journal.operations(0, 1000).value().size(), operations);
  const std::uint64_t chain = tail->chain;
  ASSERT_OK(journal.close());
  auto again = Journal::open(path, OpenMode::write, durability());
  ASSERT_OK(again);
  EXPECT_EQ(again->tail().value().chain, chain);
}

TEST_P(JournalOfEach, KeepsTheLastWordOnEveryCategory) {
  Journal journal = make(path, durability());
  const MadeStream stream(5);
  const std::vector<CategoryRow> born = {made_category(0, {0}), made_category(1, {1}),
                                         made_category(2, {2}), made_category(3, {3, 4})};
  ASSERT_OK(journal.append(MadeGroup(stream, 0, 2).rows(), born));
  EXPECT_EQ(journal.categories().value(), born);
  // 2 is merged into 3 and 1 is renamed.
  std::vector<CategoryRow> changed = {made_category(1, {1}), made_category(2, {}),
                                      made_category(3, {2, 3, 4})};
  changed[0].name = "heron";
  changed[1].now = 3;
  changed[1].retired = true;
  ASSERT_OK(journal.append(made_operation(2, 2), changed, {}));
  const auto categories = journal.categories();
  ASSERT_OK(categories);
  EXPECT_EQ((*categories)[0], born[0]);
  EXPECT_EQ((*categories)[1], changed[0]);
  EXPECT_EQ((*categories)[2], changed[1]);
  EXPECT_EQ((*categories)[3], changed[2]);
}

TEST_P(JournalOfEach, MembersFollowMoves) {
  Journal journal = make(path, durability());
  const MadeStream stream(6);
  const MadeGroup group(stream, 0, 60);
  ASSERT_OK(journal.append(group.rows(), {}));
  std::vector<std::pair<std::int64_t, bool>> belongs;
  for (const SampleRow& row : group.rows()) belongs.emplace_back(row.prototype, row.counted);
  const std::vector<Membership> first = {{3, 9, false}, {10, 9, true}, {11, 0, false}};
  const std::vector<Membership> second = {{10, 2, false}};
  ASSERT_OK(journal.append(made_operation(60, 60), {}, first));
  ASSERT_OK(journal.append(made_operation(61, 60), {}, second));
  belongs[3] = {9, false};
  belongs[10] = {2, false};
  belongs[11] = {0, false};
  for (const std::vector<std::int64_t>& wanted :
       {std::vector<std::int64_t>{2}, {9}, {0, 2, 9}, {77}, {}}) {
    for (const std::uint64_t from : {0, 11}) {
      std::vector<Membership> expected;
      for (std::uint64_t i = from; i < 60; ++i) {
        if (std::count(wanted.begin(), wanted.end(), belongs[i].first) > 0)
          expected.push_back({i, belongs[i].first, belongs[i].second});
      }
      EXPECT_EQ(journal.members(wanted, from).value(), expected);
    }
  }
  EXPECT_EQ(journal.membership(10).value(), (Membership{10, 2, false}));
  EXPECT_EQ(journal.membership(12).value()->prototype, belongs[12].first);
  EXPECT_FALSE(journal.membership(60).value().has_value());
}

TEST_P(JournalOfEach, SnapshotsComeBackNewestFirstAndArePruned) {
  Journal journal = make(path, durability());
  const MadeStream stream(7);
  ASSERT_OK(journal.append(MadeGroup(stream, 0, 30).rows(), {}));
  const std::vector<std::size_t> sizes = {0, 100, (std::size_t{1} << 24) + 5};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    ASSERT_OK(journal.save_snapshot(i * 10, i * 10, "digest", synthetic_bytes(sizes[i], i)));
  EXPECT_FALSE(make(folder / "empty").newest_snapshot(9).value().has_value());
  EXPECT_EQ(journal.newest_snapshot(9).value()->event, 0U);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto found = journal.newest_snapshot(i * 10 + 5);
    ASSERT_OK(found);
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->event, i * 10);
    EXPECT_TRUE((*found)->bytes == synthetic_bytes(sizes[i], i));
  }
  EXPECT_EQ(journal.newest_snapshot(std::uint64_t(-1)).value()->event, 20U);
  ASSERT_OK(journal.save_snapshot(10, 10, "other", synthetic_bytes(7, 3)));
  EXPECT_EQ(journal.newest_snapshot(10).value()->digest, "other");
  ASSERT_OK(journal.prune_snapshots(2));
  ASSERT_EQ(journal.snapshots().value().size(), 2U);
  EXPECT_EQ(journal.snapshots().value()[0].event, 10U);
}

TEST_P(JournalOfEach, RefusesWhatDoesNotContinueTheStream) {
  Journal journal = make(path, durability());
  const MadeStream stream(8);
  EXPECT_THAT(journal.append(MadeGroup(stream, 1, 1).rows(), {}).error().message,
              HasSubstr("sample 0 as event 0 is next"));
  EXPECT_FALSE(journal.append(MadeGroup(stream, 0, 1, 1).rows(), {}).ok());
  EXPECT_FALSE(journal.append(made_operation(1, 0), {}, {}).ok());
  MadeGroup group(stream, 0, 1);
  group.rows()[0].embedding = group.rows()[0].embedding.first(3);
  EXPECT_THAT(journal.append(group.rows(), {}).error().message, HasSubstr("3 numbers, 6 are"));
  group = MadeGroup(stream, 0, 1);
  group.rows()[0].verdict = Verdict::tentative;
  EXPECT_THAT(journal.append(group.rows(), {}).error().message, HasSubstr("verdict 3 of 3"));
  ASSERT_OK(journal.append(MadeGroup(stream, 0, 1).rows(), {}));
  EXPECT_TRUE(holds_prefix(journal, stream, 1));
}

TEST_P(JournalOfEach, ASampleWithoutAnEmbeddingHasNone) {
  Journal journal = make(path, durability());
  const MadeStream stream(8);
  MadeGroup group(stream, 0, 5);
  group.rows()[0].embedding = group.rows()[3].embedding = {};
  ASSERT_OK(journal.append(group.rows(), {}));
  EXPECT_FALSE(journal.embedding(0).value().has_value());
  EXPECT_FALSE(journal.embedding(3).value().has_value());
  EXPECT_TRUE(journal.embedding(4).value().has_value());
  std::vector<double> two(12);
  EXPECT_TRUE(journal.embeddings(1, two).value());
  EXPECT_FALSE(journal.embeddings(2, two).value());
  EXPECT_FALSE(journal.embeddings(4, two).value());
  core::NoProgress silent;
  EXPECT_TRUE(journal.close().ok());
  EXPECT_TRUE(verify_journal(path, silent, {}).value().ok);
}

TEST(Journal, RefusesToReplaceAFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(core::write_file(folder / "j", "precious").ok());
  const auto refused = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("File exists"));
  EXPECT_EQ(core::read_file(folder / "j").value().size(), 8U);
}

TEST(Journal, RefusesSettingsThatMakeNoTable) {
  const TemporaryFolder folder;
  const auto refusal = [&](auto change) {
    JournalSettings settings = made_settings();
    change(settings);
    const auto made = Journal::create(folder / "j", settings, {}, {}, kFull);
    return made.ok() ? std::string("made") : made.error().message;
  };
  EXPECT_THAT(refusal([](auto& s) { s.dimension = 0; }), HasSubstr("dimension 0"));
  EXPECT_THAT(refusal([](auto& s) { s.evidence[1].name = "Score"; }), HasSubstr("'Score'"));
  EXPECT_THAT(refusal([](auto& s) { s.evidence[1].name = "BRANCH"; }), HasSubstr("two evidence"));
  EXPECT_THAT(refusal([](auto& s) { s.evidence[0].choices.clear(); }), HasSubstr("choice without"));
  EXPECT_THAT(refusal([](auto& s) { s.verdicts = {"\xff"}; }), HasSubstr("no plain text"));
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre());
}

TEST(Journal, HasOneWriterAndReadersBesideIt) {
  const TemporaryFolder folder;
  const MadeStream stream(10);
  Journal journal = make(folder / "j");
  const auto second = Journal::open(folder / "j", OpenMode::write, kFull);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another program is writing to it"));
  auto reader = Journal::open(folder / "j", OpenMode::read, kFull);
  ASSERT_OK(reader);
  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_OK(journal.append(MadeGroup(stream, i * 4, 4).rows(), {}));
    EXPECT_TRUE(holds_prefix(*reader, stream, i * 4 + 4));
  }
  EXPECT_FALSE(reader->append(MadeGroup(stream, 20, 1).rows(), {}).ok());
  ASSERT_OK(journal.close());
  ASSERT_OK(Journal::open(folder / "j", OpenMode::write, kFull));
  EXPECT_TRUE(holds_prefix(*reader, stream, 20));
}

TEST(Journal, SaysSoWhenItIsUsedAfterClosing) {
  const TemporaryFolder folder;
  Journal journal = make(folder / "j");
  ASSERT_OK(journal.close());
  EXPECT_THAT(journal.tail().error().message, HasSubstr("closed"));
  EXPECT_THAT(journal.append(made_operation(0, 0), {}, {}).error().message, HasSubstr("closed"));
  ASSERT_OK(journal.close());
}

TEST(Journal, KeepsAsManyEmbeddingsAsItIsTold) {
  const TemporaryFolder folder;
  const MadeStream stream(11);
  JournalSettings settings = made_settings();
  settings.retention.embeddings = 1000;
  Journal journal = make(folder / "j", kFull, settings);
  for (std::uint64_t i = 0; i < 50; ++i) {
    ASSERT_OK(journal.append(MadeGroup(stream, i * 100, 100).rows(), {}));
    if (i == 8) {
      EXPECT_EQ(journal.info().value().embeddings, 900U);
    }
    if (i == 28) {
      EXPECT_EQ(journal.info().value().embeddings, 1900U) << "those since the snapshot at 2000";
    }
    if (i % 10 == 9) ASSERT_OK(journal.save_snapshot(i * 100 + 100, i * 100 + 100, "d", {}));
  }
  EXPECT_EQ(journal.info().value().embeddings, 1000U);
  EXPECT_FALSE(journal.embedding(0).value().has_value());
  EXPECT_TRUE(journal.embedding(4000).value().has_value());

  Retention fewer;
  fewer.embeddings = 130;
  ASSERT_OK(journal.compact(fewer));
  EXPECT_EQ(journal.info().value().embeddings, 130U);
  EXPECT_FALSE(journal.embedding(4869).value().has_value());
  const MadeGroup last(stream, 4870, 1);
  EXPECT_THAT(journal.embedding(4870).value().value(),
              ::testing::ElementsAreArray(last.rows()[0].embedding.begin(),
                                          last.rows()[0].embedding.end()));
  ASSERT_OK(journal.append(MadeGroup(stream, 5000, 10).rows(), {}));
  Retention none;
  none.embeddings = 0;
  ASSERT_OK(journal.compact(none));
  EXPECT_EQ(journal.info().value().embeddings, 10U) << "those since the newest snapshot";
  ASSERT_OK(journal.append(MadeGroup(stream, 5010, 10).rows(), {}));
  EXPECT_EQ(journal.info().value().embeddings, 20U);
  ASSERT_OK(journal.save_snapshot(5020, 5020, "d", {}));
  EXPECT_EQ(journal.info().value().embeddings, 0U);
  EXPECT_EQ(journal.settings().retention, none);
  ASSERT_OK(journal.close());
  core::NoProgress silent;
  const auto report = verify_journal(folder / "j", silent, {});
  ASSERT_OK(report);
  EXPECT_TRUE(report->ok) << report->problem;
  EXPECT_EQ(report->samples, 5020U);
  EXPECT_EQ(Journal::open(folder / "j", OpenMode::read, kFull)->settings().retention, none);
}

TEST(Journal, AnOperationAfterTheNewestSnapshotKeepsWhatItMayNeed) {
  const TemporaryFolder folder;
  const MadeStream stream(11);
  JournalSettings settings = made_settings();
  settings.retention.embeddings = 5;
  Journal journal = make(folder / "j", kFull, settings);
  ASSERT_OK(journal.append(MadeGroup(stream, 0, 20).rows(), {}));
  ASSERT_OK(journal.append(made_operation(20, 20), {}, {}));
  ASSERT_OK(journal.save_snapshot(20, 20, "before the operation", {}));
  ASSERT_OK(journal.compact(settings.retention));
  EXPECT_EQ(journal.info().value().embeddings, 20U);
  ASSERT_OK(journal.save_snapshot(21, 20, "after it", {}));
  ASSERT_OK(journal.compact(settings.retention));
  EXPECT_EQ(journal.info().value().embeddings, 5U);
}

TEST(Journal, TheLogBesideItStaysShort) {
  const TemporaryFolder folder;
  const testing::NoSync fast;
  const std::size_t dimension = 4096;
  const MadeStream stream(6, dimension);
  Journal journal = make(folder / "j", kFull, made_settings(dimension));
  MadeGroup group(stream, 0, 64);
  std::uint64_t sample = 0;
  for (int i = 0; i < 60; ++i) {  // 2 MB each
    for (SampleRow& row : group.rows()) {
      row.event = row.sequence = sample++;
      row.key.clear();
    }
    ASSERT_OK(journal.append(group.rows(), {}));
    EXPECT_LT(journal.info().value().log_bytes, 40'000'000U);
  }
  EXPECT_GT(journal.info().value().file_bytes, 60'000'000U);
}

TEST(Journal, CompactingMakesItSmallerAndChangesNoEvent) {
  const TemporaryFolder folder;
  const MadeStream stream(12, 200);
  Journal journal = make(folder / "j", kFull, made_settings(200));
  for (std::uint64_t i = 0; i < 10; ++i)
    ASSERT_OK(journal.append(MadeGroup(stream, i * 100, 100).rows(), {}));
  for (std::uint64_t event : {100, 500, 900})
    ASSERT_OK(journal.save_snapshot(event, event, "d", synthetic_bytes(100'000, event)));
  const auto before = journal.tail();
  ASSERT_OK(journal.checkpoint());
  const std::uint64_t size = journal.info().value().file_bytes;
  Retention retention;
  retention.embeddings = 100;
  retention.snapshots = 1;
  ASSERT_OK(journal.save_snapshot(1000, 1000, "d", synthetic_bytes(100'000, 1)));
  ASSERT_OK(journal.compact(retention));
  EXPECT_LT(journal.info().value().file_bytes, size / 2);
  EXPECT_EQ(journal.info().value().free_bytes, 0U);
  EXPECT_EQ(journal.snapshots().value().size(), 1U);
  EXPECT_EQ(journal.tail().value(), *before);
  ASSERT_OK(journal.append(MadeGroup(stream, 1000, 5).rows(), {}));
}

}  // namespace
}  // namespace paco::journal
