// What travels on the bus: events and groups of records, whole and damaged.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bus/event.hpp"
#include "bus/picture.hpp"
#include "bus/record.hpp"
#include "bus/subjects.hpp"
#include "core/files.hpp"

namespace paco::bus {
namespace {

SampleEvent some_sample() { return {"key-7", "img 7", R"({"a":1})", "\x89PNG", {0.5, -1.25, 3}}; }

Group some_group() {
  Group group{41, 12, 13, 2, 77, 78, "ann", "digest", {}};
  Record decided;
  decided.kind = RecordKind::decided;
  decided.key = "k";
  decided.name = "heron";
  decided.sequence = 11;
  decided.category = 7;
  decided.verdict = Verdict::created;
  decided.score = 0.1;
  decided.threshold = -std::nan("");
  decided.evidence[0] = 2;
  Record operated;
  operated.kind = RecordKind::operated;
  operated.text = "renamed";
  operated.session = 12;
  Record refused;
  refused.text = "is a foreign message";
  group.records = {decided, operated, refused};
  return group;
}

TEST(BusEvent, ASampleComesBackAsItWasSent) {
  for (const bool narrow : {false, true}) {
    const auto event = parse_event(event_bytes(some_sample(), narrow));
    ASSERT_TRUE(event.ok());
    const auto& sample = std::get<SampleEvent>(*event);
    EXPECT_EQ(sample.key, "key-7");
    EXPECT_EQ(sample.id, "img 7");
    EXPECT_EQ(sample.attributes, R"({"a":1})");
    EXPECT_EQ(sample.picture, "\x89PNG");
    EXPECT_EQ(sample.embedding, some_sample().embedding);
  }
}

TEST(BusEvent, AnOperationComesBackAsItWasSent) {
  const auto event = parse_event(event_bytes(OperationEvent{R"({"kind":"undo"})"}));
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(std::get<OperationEvent>(*event).json, R"({"kind":"undo"})");
}

TEST(BusEvent, EveryPrefixIsRefusedOrHasFewerNumbers) {
  const std::string whole = event_bytes(some_sample(), false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto event = parse_event(std::string_view(whole).substr(0, size));
    if (!event.ok()) continue;
    EXPECT_LT(std::get<SampleEvent>(*event).embedding.size(), 3u) << size;
  }
}

TEST(BusEvent, KeysThatAreEmptyOrLongAreRefused) {
  SampleEvent sample = some_sample();
  for (const std::size_t size : {std::size_t{0}, kMostKey + 1}) {
    sample.key.assign(size, 'k');
    EXPECT_FALSE(parse_event(event_bytes(sample, true)).ok()) << size;
  }
}

TEST(BusRecord, AGroupComesBackAsItWasSent) {
  const Group group = some_group();
  const auto back = parse_group(group_bytes(group), "g");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(group_bytes(*back), group_bytes(group));
  EXPECT_EQ(back->last(), 43u);
  EXPECT_EQ(back->chain, 77u);
  EXPECT_EQ(back->last_event, 78u);
  EXPECT_EQ(back->publisher, "ann");
  EXPECT_EQ(back->records[0].name, "heron");
  EXPECT_TRUE(std::isnan(back->records[0].threshold));
  EXPECT_EQ(back->records[1].session, 12u);
}

TEST(BusRecord, AGroupOfTheVersionBeforeIsReadWithoutItsLastEvent) {
  Group group = some_group();
  std::string bytes = group_bytes(group);
  bytes[4] = 2;
  bytes.erase(4 + 2 + 4 * sizeof(std::uint64_t), sizeof group.last_event);
  const auto back = parse_group(bytes, "g");
  ASSERT_TRUE(back.ok()) << back.error().message;
  group.last_event = 0;
  EXPECT_EQ(group_bytes(*back), group_bytes(group));
}

TEST(BusRecord, NoRecordIsLongerThanItSays) {
  for (const Record& record : some_group().records) {
    for (const std::size_t evidence : {std::size_t{0}, std::size_t{2}, kMaxEvidence}) {
      EXPECT_LE(record.bytes(evidence).size(), record.max_bytes(evidence)) << record.describe();
    }
  }
}

TEST(BusRecord, EveryPrefixIsRefused) {
  const std::string whole = group_bytes(some_group());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_group(std::string_view(whole).substr(0, size), "g").ok()) << size;
}

TEST(BusRecord, NoFlippedByteIsFollowedOutOfTheMessage) {
  std::mt19937 random(1);
  const std::string whole = group_bytes(some_group());
  const std::string event = event_bytes(some_sample(), true);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = i % 2 == 0 ? whole : event;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto group = parse_group(bytes, "g");
    if (group.ok()) {
      EXPECT_FALSE(group->records.empty());
    }
    (void)parse_event(bytes);
  }
}

TEST(BusRecord, RefusalsAreTheSameWithAnotherText) {
  Record one, other;
  one.key = other.key = "k";
  one.text = "was refused before";
  other.text = "there is no category 9";
  EXPECT_TRUE(one.same_as(other, 0));
  other.key = "l";
  EXPECT_FALSE(one.same_as(other, 0));
}

TEST(BusRecord, DecisionsThatDifferInOneBitAreNotTheSame) {
  const Record one = some_group().records[0];
  Record other = one;
  EXPECT_TRUE(one.same_as(other, 2));
  other.evidence[1] = std::nextafter(0.0, 1.0);
  EXPECT_FALSE(one.same_as(other, 2));
}

TEST(BusSubjects, ANameIsOneWordOfASubject) {
  EXPECT_TRUE(check_stream_name("birds_2-b").ok());
  for (const std::string& bad : {std::string(), std::string("a.b"), std::string("a b"),
                                 std::string("a>"), std::string("*"), std::string(49, 'a')})
    EXPECT_FALSE(check_stream_name(bad).ok()) << bad;
  EXPECT_EQ(jetstream_of("birds", Part::events), "paco-birds-events");
  EXPECT_EQ(subject_of("birds", Part::raw), "paco.birds.raw");
}

TEST(BusMessages, EveryFileOfTheFuzzCorpusIsAMessage) {
  const std::string folder = std::string(PACO_SOURCE_DIR) + "/fuzz/corpus/bus_message";
  const auto names = core::list_folder(folder);
  ASSERT_TRUE(names.ok());
  ASSERT_FALSE(names->empty());
  for (const std::string& name : *names) {
    const auto file = core::read_file(folder + "/" + name);
    ASSERT_TRUE(file.ok());
    const std::string_view bytes(reinterpret_cast<const char*>(file->data()), file->size());
    const int taken =
        parse_event(bytes).ok() + parse_group(bytes, name).ok() + parse_picture(bytes).ok();
    EXPECT_EQ(taken, 1) << name;
  }
}

}  // namespace
}  // namespace paco::bus
