// Decisions on disk: what is written is read again, whatever names look like; damage is an error or
// harmless.
#include "io/decision_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/partial_file.hpp"
#include "damaged_file.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

const std::vector<std::string> kAwkward{"plain",
                                        "with, comma",
                                        "with \"quotes\"",
                                        "two\nlines",
                                        " spaces around ",
                                        "żółw 🐢",
                                        "",
                                        "# a comment?",
                                        "semi;colon\ttab",
                                        "\"",
                                        "ends in quote\"",
                                        "a,\"b\"\n\n,c",
                                        "nan",
                                        "1e5",
                                        "{\"json\": 1}",
                                        "back\\slash\\n"};

// Decisions of every branch, named awkwardly.
struct Written {
  std::unique_ptr<Method> method;
  std::vector<Decision> decisions;
  std::vector<std::string> samples, names;

  const MethodInfo& info() const { return method->info(); }
  void shorten(std::size_t count) {
    decisions.resize(count);
    samples.resize(count);
    names.resize(count);
  }
};

Written some_decisions(std::size_t count, const std::string& method = "paco") {
  testing::MadePlan plan;
  plan.known = kAwkward.size();
  plan.stream = count;
  const auto data = testing::make_data(plan, 3);
  SupportSet support = data.support_set();
  support.class_names = kAwkward;
  Written w;
  w.method = testing::method_for(method, testing::calibrated(support));
  w.decisions = testing::decide_all(*w.method, data.stream, 64);
  for (std::size_t i = 0; i < count; ++i) {
    w.samples.push_back(kAwkward[i % kAwkward.size()]);
    w.names.push_back(w.method->categories().name(w.decisions[i].category));
  }
  return w;
}

Result<void> write_some(DecisionWriter& writer, const Written& w, std::size_t from,
                        std::size_t to) {
  std::vector<DecidedSample> samples;
  for (std::size_t i = from; i < to; ++i)
    samples.push_back({w.decisions[i], w.samples[i], w.names[i], ""});
  return writer.write(samples);
}

void write(const Written& w, const std::string& path) {
  auto writer = make_decision_writer(path, w.info());
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const std::size_t half = w.decisions.size() / 2;
  ASSERT_TRUE(write_some(**writer, w, 0, half).ok());
  ASSERT_TRUE(write_some(**writer, w, half, w.decisions.size()).ok());
  EXPECT_FALSE(std::filesystem::exists(path)) << "there before it was finished";
  ASSERT_TRUE((*writer)->finish().ok());
}

TEST(DecisionFile, TextKeepsEveryFieldAndEveryNameOfEveryMethod) {
  for (const std::string& method : method_names()) {
    const TemporaryFolder folder;
    const Written w = some_decisions(90, method);
    for (const std::string file : {"d.csv", "d.jsonl"}) {
      SCOPED_TRACE(method + ", " + file);
      write(w, folder / file);
      const auto table = read_decisions(folder / file);
      ASSERT_TRUE(table.ok()) << table.error().message;
      EXPECT_TRUE(table->detailed);
      ASSERT_EQ(table->decisions.size(), w.decisions.size());
      for (std::size_t i = 0; i < w.decisions.size(); ++i) {
        Decision expected = w.decisions[i];
        // The memory just after the sample is in the trace, not here; nor is what follows from
        // the memory.
        for (std::size_t f = 0; f < w.info().evidence.size(); ++f) {
          if (w.info().evidence[f].after) expected.evidence[f] = kNotComputed;
        }
        expected.categories_after = 0;
        expected.counted = false;
        const Decision found = table->as_of(w.info(), i);
        EXPECT_TRUE(testing::same_decision(found, expected)) << "row " << i;
        EXPECT_EQ(table->samples[i], w.samples[i]) << "row " << i;
        EXPECT_EQ(table->names[i], w.names[i]) << "row " << i;
        EXPECT_EQ(w.method->explain(found), w.method->explain(w.decisions[i]));
      }
    }
  }
}

TEST(DecisionFile, TheColumnsOfPacoAreThosePromised) {
  EXPECT_EQ(decision_columns(*method_info("paco").value()),
            "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,"
            "assignment_score,runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score,"
            "false_new_gate,prototype");
}

TEST(DecisionFile, AFileOfAnEarlierVersionIsReadToo) {
  const std::string text =
      "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,"
      "assignment_score,runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score\n"
      "0,a,created,7,category 7,create,all,0.5,0.75,2,,0.5,0.75,0.5,0.125,0.5,\n";
  const auto table = parse_decisions(std::as_bytes(std::span(text)), "d.csv");
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->decisions.size(), 1u);
  EXPECT_EQ(table->decisions[0].prototype, 7) << "then each category had one prototype";
  const int margin = table->field("margin"), branch = table->field("branch");
  ASSERT_GE(margin, 0);
  ASSERT_GE(branch, 0);
  EXPECT_EQ(table->decisions[0].evidence[static_cast<std::size_t>(margin)], 0.125);
  EXPECT_EQ(table->decisions[0].evidence[static_cast<std::size_t>(branch)], 3);
  EXPECT_EQ(table->fields[static_cast<std::size_t>(branch)].choices.size(), 4u);
  EXPECT_EQ(table->field("nobody's"), -1);
}

TEST(DecisionFile, ColumnsOfAnUnknownMethodAreKeptByTheirNames) {
  const std::string text =
      "sequence,sample,verdict,category,name,hamming,prototype\n"
      "4,a,tentative,1,dog,3,9\n"
      "5,b,known,1,dog,,1\n";
  const auto table = parse_decisions(std::as_bytes(std::span(text)), "d.csv");
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->fields.size(), 1u);
  EXPECT_EQ(table->fields[0].name, "hamming");
  EXPECT_EQ(table->decisions[0].evidence[0], 3);
  EXPECT_TRUE(std::isnan(table->decisions[1].evidence[0]));
  EXPECT_EQ(table->decisions[0].verdict, Verdict::tentative);
  EXPECT_EQ(table->decisions[0].prototype, 9);
  std::string many = "sequence,sample,verdict,category,name";
  for (std::size_t i = 0; i <= kMaxEvidence; ++i) many += ",x" + std::to_string(i);
  EXPECT_FALSE(parse_decisions(std::as_bytes(std::span(many)), "d.csv").ok());
}

TEST(DecisionFile, BlankLinesArePassedOver) {
  const std::string header = "sequence,sample,verdict,category,name\n";
  const std::string csv = header + "\n0,a,known,1,dog\r\n \t\r\n\r\r\n1,b,known,1,dog\n\n";
  const std::string row =
      R"({"sequence":0,"sample":"a","verdict":"known","category":1,"name":"dog"})";
  std::string next = row;
  next.replace(next.find(":0"), 2, ":1");
  const std::string jsonl = "\n" + row + "\r\n \t\r\n\r\r\n" + next + "\n\n";
  for (const auto& [text, name] : {std::pair{csv, "d.csv"}, {jsonl, "d.jsonl"}}) {
    const auto table = parse_decisions(std::as_bytes(std::span(text)), name);
    ASSERT_TRUE(table.ok()) << table.error().message;
    ASSERT_EQ(table->decisions.size(), 2u) << name;
    EXPECT_EQ(table->decisions[1].sequence, 1u);
  }
}

// A choice that a method did not make is empty, and comes back as not computed.
TEST(DecisionFile, AChoiceThatWasNotMadeComesBackSo) {
  const TemporaryFolder folder;
  Written w = some_decisions(3);
  w.decisions[1].evidence[0] = kNotComputed;
  for (const std::string file : {"d.csv", "d.jsonl"}) {
    write(w, folder / file);
    const auto table = read_decisions(folder / file);
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_TRUE(std::isnan(table->as_of(w.info(), 1).evidence[0])) << file;
    EXPECT_EQ(table->as_of(w.info(), 2).evidence[0], w.decisions[2].evidence[0]) << file;
  }
}

TEST(DecisionFile, AnEarlierRunIsGoneOnFromItsLastSync) {
  const TemporaryFolder folder;
  const Written w = some_decisions(60);
  for (const std::string end : {".csv", ".jsonl", ".npy"}) {
    write(w, folder / ("whole" + end));
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{37}}) {
      const std::string path = folder / ("d" + end);
      std::uint64_t length = 0;
      {
        auto writer = make_decision_writer(path, w.info());
        ASSERT_TRUE(writer.ok());
        ASSERT_TRUE(write_some(**writer, w, 0, cut).ok());
        length = (*writer)->sync().value();
        // What was synced is a proper file by itself.
        const auto partial = read_decisions(core::PartialFile::partial_name(path));
        if (cut > 0 || end != ".jsonl") {
          ASSERT_TRUE(partial.ok()) << partial.error().message;
          EXPECT_EQ(partial->decisions.size(), cut) << end;
        }
        ASSERT_TRUE(write_some(**writer, w, 0, 5).ok());  // of a run that was then killed
      }
      auto writer = make_decision_writer(path, w.info(), length);
      ASSERT_TRUE(writer.ok()) << writer.error().message;
      ASSERT_TRUE(write_some(**writer, w, cut, w.decisions.size()).ok());
      ASSERT_TRUE((*writer)->finish().ok());
      EXPECT_EQ(bytes_of(path), bytes_of(folder / ("whole" + end))) << end << ", cut " << cut;
    }
  }
}

TEST(DecisionFile, AnImpossibleLengthOfAnEarlierRunIsRefused) {
  const TemporaryFolder folder;
  const Written w = some_decisions(4);
  write(w, folder / "d.npy");
  for (const std::uint64_t length : {1, 127, 130, 1000}) {
    const auto writer = make_decision_writer(folder / "d.npy", w.info(), length);
    EXPECT_FALSE(writer.ok()) << length;
  }
}

TEST(DecisionFile, NpyKeepsTheIds) {
  const TemporaryFolder folder;
  const Written w = some_decisions(50);
  write(w, folder / "d.npy");
  const auto table = read_decisions(folder / "d.npy");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_FALSE(table->detailed);
  ASSERT_EQ(table->decisions.size(), w.decisions.size());
  for (std::size_t i = 0; i < w.decisions.size(); ++i) {
    EXPECT_EQ(table->decisions[i].category, w.decisions[i].category);
    EXPECT_EQ(table->decisions[i].sequence, i);
  }
}

TEST(DecisionFile, EveryJsonLineIsAnObjectOfItsOwn) {
  const Written w = some_decisions(40);
  std::string text;
  auto writer = make_json_line_writer(
      [&](std::string_view piece) -> Result<void> {
        text.append(piece);
        return {};
      },
      w.info());
  ASSERT_TRUE(write_some(*writer, w, 0, w.decisions.size()).ok());
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const auto object = nlohmann::json::parse(text.substr(at, end - at));
    EXPECT_EQ(object.at("sample"), w.samples[lines]);
    EXPECT_EQ(object.at("category"), w.decisions[lines].category);
    EXPECT_EQ(object.at("margin"), w.decisions[lines].evidence[methods::kMargin]);
    if (std::isnan(w.decisions[lines].evidence[methods::kAttachScore])) {
      EXPECT_TRUE(object.at("attach_score").is_null());
    }
    at = end + 1;
  }
  EXPECT_EQ(lines, w.decisions.size());
}

TEST(DecisionFile, AnEmptyStreamIsAFileWithoutRows) {
  const TemporaryFolder folder;
  Written w = some_decisions(1);
  w.shorten(0);
  for (const std::string name : {"d.csv", "d.npy"}) {
    write(w, folder / name);
    const auto table = read_decisions(folder / name);
    ASSERT_TRUE(table.ok()) << name << ": " << table.error().message;
    EXPECT_TRUE(table->decisions.empty());
  }
}

TEST(DecisionFile, TheNameMustSayTheFormat) {
  const auto writer = make_decision_writer("decisions.txt", some_decisions(1).info());
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().hint, HasSubstr(".npy, .csv or .jsonl"));
}

TEST(DecisionFile, IdsThatAreNoWholeNumbersAreRefusedWithTheirLine) {
  const Written w = some_decisions(2);
  const auto parsed = [&](const std::string& from, const std::string& to) {
    std::string text = decision_columns(w.info()) + "\n";
    append_csv(text, {w.decisions[0], "a", "x", ""}, w.info());
    std::string row;
    append_csv(row, {w.decisions[1], "b", "y", ""}, w.info());
    if (row.starts_with(from)) row.replace(0, from.size(), to);
    text += row;
    return parse_decisions(std::as_bytes(std::span(text)), "d.csv");
  };
  EXPECT_TRUE(parsed("1,", "1,").ok());
  for (const std::string bad : {"-1,", "1e300,", "1.5,", "nan,", "inf,", ",", "x,"}) {
    const auto table = parsed("1,", bad);
    ASSERT_FALSE(table.ok()) << bad;
    EXPECT_THAT(table.error().message, HasSubstr("d.csv: line 3: no sequence number"));
  }
}

TEST(DecisionFile, DamageIsAnErrorOrAValidTable) {
  const TemporaryFolder folder;
  Written w = some_decisions(16);
  w.shorten(5);
  for (const std::string name : {"d.csv", "d.jsonl", "d.npy"}) {
    write(w, folder / name);
    testing::for_every_damage(bytes_of(folder / name), folder / ("bad_" + name),
                              [&](const std::string& path, const std::string& what) {
                                const auto table = read_decisions(path);
                                if (!table.ok()) return;
                                EXPECT_EQ(table->samples.size(), table->decisions.size()) << what;
                                EXPECT_EQ(table->names.size(), table->decisions.size()) << what;
                                for (const Decision& d : table->decisions)
                                  EXPECT_GE(d.category, 0) << what;
                              });
  }
}

}  // namespace
}  // namespace paco::io
