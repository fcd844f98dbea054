// Decisions on disk: what is written is read again, whatever names look like; damage is an error or
// harmless.
#include "discover/decision_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "damaged_file.hpp"
#include "made_data.hpp"
#include "temporary_folder.hpp"

namespace paco {
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
  std::shared_ptr<const Model> model;
  std::vector<Decision> decisions;
  std::vector<std::string> samples;
};

Written some_decisions(std::size_t count) {
  testing::MadePlan plan;
  plan.known = kAwkward.size();
  plan.stream = count;
  const auto data = testing::make_data(plan, 3);
  SupportSet support = data.support_set();
  support.class_names = kAwkward;
  Written w;
  w.model = testing::calibrated(support);
  w.decisions = testing::decide_all(*testing::method_for("paco", w.model), data.stream, 64);
  for (std::size_t i = 0; i < count; ++i) w.samples.push_back(kAwkward[i % kAwkward.size()]);
  return w;
}

void write(const Written& w, const std::string& path) {
  auto writer = make_decision_writer(path, *w.model);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const std::size_t half = w.decisions.size() / 2;
  const std::span<const Decision> all(w.decisions);
  const std::span<const std::string> samples(w.samples);
  ASSERT_TRUE((*writer)->write(all.first(half), samples.first(half)).ok());
  ASSERT_TRUE((*writer)->write(all.subspan(half), samples.subspan(half)).ok());
  EXPECT_FALSE(std::filesystem::exists(path)) << "there before it was committed";
  ASSERT_TRUE((*writer)->commit().ok());
}

TEST(DecisionFile, TextKeepsEveryFieldAndEveryName) {
  const TemporaryFolder folder;
  const Written w = some_decisions(90);
  for (const std::string name : {"d.csv", "d.jsonl"}) {
    write(w, folder / name);
    const auto table = read_decisions(folder / name);
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_TRUE(table->detailed);
    ASSERT_EQ(table->decisions.size(), w.decisions.size()) << name;
    for (std::size_t i = 0; i < w.decisions.size(); ++i) {
      Decision expected = w.decisions[i];
      // The memory just after the sample is in the trace, not here.
      expected.tau_birth_after = expected.eta_after = 0;
      expected.categories_after = expected.mature_after = 0;
      EXPECT_TRUE(testing::same_decision(table->decisions[i], expected)) << name << ", row " << i;
      EXPECT_EQ(table->samples[i], w.samples[i]) << name << ", row " << i;
      EXPECT_EQ(table->names[i], category_name(expected.category, *w.model)) << name;
      EXPECT_EQ(explain(table->decisions[i], *w.model), explain(w.decisions[i], *w.model));
    }
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
      *w.model);
  ASSERT_TRUE(writer->write(w.decisions, w.samples).ok());
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const auto object = nlohmann::json::parse(text.substr(at, end - at));
    EXPECT_EQ(object.at("sample"), w.samples[lines]);
    EXPECT_EQ(object.at("category"), w.decisions[lines].category);
    EXPECT_EQ(object.at("margin"), w.decisions[lines].margin);
    if (std::isnan(w.decisions[lines].attach_score)) {
      EXPECT_TRUE(object.at("attach_score").is_null());
    }
    at = end + 1;
  }
  EXPECT_EQ(lines, w.decisions.size());
}

TEST(DecisionFile, AnEmptyStreamIsAFileWithoutRows) {
  const TemporaryFolder folder;
  Written w = some_decisions(1);
  w.decisions.clear();
  w.samples.clear();
  for (const std::string name : {"d.csv", "d.npy"}) {
    write(w, folder / name);
    const auto table = read_decisions(folder / name);
    ASSERT_TRUE(table.ok()) << name << ": " << table.error().message;
    EXPECT_TRUE(table->decisions.empty());
  }
}

TEST(DecisionFile, TheNameMustSayTheFormat) {
  const auto format = decision_format("decisions.txt");
  ASSERT_FALSE(format.ok());
  EXPECT_THAT(format.error().hint, HasSubstr(".csv, .jsonl or .npy"));
}

TEST(DecisionFile, IdsThatAreNoWholeNumbersAreRefusedWithTheirLine) {
  const Written w = some_decisions(2);
  const auto parsed = [&](const std::string& from, const std::string& to) {
    std::string text(kDecisionColumns);
    text += '\n';
    append_csv(text, w.decisions[0], "a", *w.model);
    std::string row;
    append_csv(row, w.decisions[1], "b", *w.model);
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
  w.decisions.resize(5);
  w.samples.resize(5);
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
}  // namespace paco
