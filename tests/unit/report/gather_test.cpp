// Files that belong together become one input; files that do not are refused with both names.
#include "report/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "core/files.hpp"
#include "io/decision_file.hpp"
#include "io/npy.hpp"
#include "io/trace_file.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::report {
namespace {

constexpr const char* kDecisions =
    "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,assignment_score,"
    "runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score\n"
    "0,a.jpg,known,1,cat,known_only,known_only,0.5,0.3,0,1,0.5,-3,0.9,0.5,,\n"
    "1,b.jpg,created,3,category 3,create,all,-3.4,-3,0,,,-3,0.2,0.1,-3.4,\n"
    "2,c.jpg,existing,3,category 3,attach,all,2,1,3,,,-3,0.3,0.1,-3.2,2\n";
constexpr const char* kTrace =
    "sequence,category,branch,route,assignment_score,runner_up_score,tau_birth,top_cosine,margin,"
    "birth_score,attach_score,tau_birth_after,eta_after,mature_after,false_new_gate,"
    "categories,microseconds\n"
    "0,1,known_only,known_only,1,0.5,-3,0.9,0.5,,,-3,0,0,,0,12\n"
    "1,3,create,all,,,-3,0.2,0.1,-3.4,,-3,0,0,,1,13\n"
    "2,3,attach,all,,,-3,0.3,0.1,-3.2,2,-3.1,0.25,0,,1,14\n";

ReportSample sample(const ReportInput& input, std::size_t place) {
  const std::size_t places[] = {place};
  return input.samples->pick(places).value().at(0);
}

double evidence(const ReportInput& input, std::size_t place, std::string_view name) {
  for (std::size_t f = 0; f < input.fields.size(); ++f) {
    if (input.fields[f].name == name) return sample(input, place).evidence[f];
  }
  ADD_FAILURE() << "no field " << name;
  return 0;
}

class Gather : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    EXPECT_TRUE(core::write_file(folder_ / name, text).ok());
    return folder_ / name;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Gather, JoinsDecisionsAndTrace) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.trace = put("trace.csv", kTrace);
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const ReportInput& input = report->input;
  ASSERT_EQ(input.stream.size(), 3U);
  EXPECT_EQ(sample(input, 2).sample, "c.jpg");
  EXPECT_EQ(sample(input, 2).microseconds, 14);
  EXPECT_EQ(evidence(input, 2, "eta_after"), 0.25);
  EXPECT_EQ(evidence(input, 2, "attach_score"), 2);
  EXPECT_EQ(input.title, "decisions.csv");
}

TEST_F(Gather, FindsTheNumberOfKnownClassesInTheDecisions) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  EXPECT_EQ(gather_report(files)->input.known_classes, 3U);
  files.known = 3;
  EXPECT_EQ(gather_report(files)->input.known_classes, 3U);
}

TEST_F(Gather, RefusesANumberOfKnownClassesThatTheDecisionsContradict) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  for (const std::int64_t known : {1, 4}) {
    files.known = known;
    const auto report = gather_report(files);
    ASSERT_FALSE(report.ok()) << known;
    EXPECT_EQ(report.error().code, ErrorCode::mismatch);
  }
}

// Decisions and model of one stream, as the program writes them.
class GatherStream : public Gather {
 protected:
  void write(const std::string& method) {
    const auto data = testing::make_data({}, 3);
    model_ = testing::calibrated(data.support_set());
    const auto decider = testing::method_for(method, model_);
    decisions_ = testing::decide_all(*decider, data.stream, 50);
    std::vector<io::DecidedSample> samples;
    for (const Decision& d : decisions_) {
      samples.push_back(
          {d, std::to_string(d.sequence), decider->categories().name(d.category), ""});
      texts_.push_back(decider->explain(d));
    }
    files_.decisions = folder_ / "d.csv";
    auto writer = io::make_decision_writer(files_.decisions, decider->info());
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->write(samples).ok());
    ASSERT_TRUE((*writer)->finish().ok());
    files_.model = folder_ / "m.paco";
    ASSERT_TRUE(save_model(*model_, files_.model).ok());
  }
  std::shared_ptr<const Model> model_;
  std::vector<Decision> decisions_;
  std::vector<std::string> texts_;
  ReportFiles files_;
};

TEST_F(GatherStream, TheModelsMethodExplainsItsDecisions) {
  write("paco");
  const auto report = gather_report(files_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_NE(report->input.method, nullptr);
  for (std::size_t i = 0; i < texts_.size(); ++i)
    EXPECT_EQ(report->input.method->explain(sample(report->input, i)), texts_[i]);
}

TEST_F(GatherStream, AnotherMethodExplainsWhereItIsNamed) {
  write("leader");
  const auto unnamed = gather_report(files_);
  ASSERT_TRUE(unnamed.ok()) << unnamed.error().message;
  EXPECT_EQ(unnamed->input.method, nullptr) << "several methods have such evidence";
  EXPECT_FALSE(unnamed->input.fields[0].meaning.empty());
  files_.method = "leader";
  const auto named = gather_report(files_);
  ASSERT_TRUE(named.ok()) << named.error().message;
  ASSERT_NE(named->input.method, nullptr);
  for (std::size_t i = 0; i < texts_.size(); ++i)
    EXPECT_EQ(named->input.method->explain(sample(named->input, i)), texts_[i]);
  files_.method = "paco";
  const auto wrong = gather_report(files_);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::mismatch);
}

// The rows of a file in another order, below its header if it has one.
std::string shuffled(const std::string& text, bool header, std::uint32_t seed) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  std::mt19937 random(seed);
  std::shuffle(lines.begin() + (header ? 1 : 0), lines.end(), random);
  std::string result;
  for (const std::string& line : lines) result += line;
  return result;
}

TEST_F(GatherStream, TheDocumentIsTheSameHoweverTheDecisionsAreReadAndKept) {
  for (const char* method : {"paco", "leader"}) {
    SCOPED_TRACE(method);
    texts_.clear();
    write(method);
    files_.title = "one";
    files_.method = method;
    const auto info = method_info(method).value();
    const auto trace = folder_ / "t.csv";
    auto tracer = io::TraceWriter::create(trace, *info);
    ASSERT_TRUE(tracer.ok());
    ASSERT_TRUE(tracer->write(decisions_, 1.5).ok());
    ASSERT_TRUE(tracer->finish().ok());
    std::string lines;
    for (const Decision& d : decisions_)
      io::append_json(lines, {d, std::to_string(d.sequence), "c" + std::to_string(d.category), ""},
                      *info);
    std::string rows = io::decision_columns(*info) + "\n";
    for (const Decision& d : decisions_)
      io::append_csv(rows, {d, std::to_string(d.sequence), "c" + std::to_string(d.category), ""},
                     *info);
    files_.model.clear();  // its names are others
    const auto document = [&](const std::string& path, const std::string& traced) {
      ReportFiles files = files_;
      files.decisions = path;
      files.trace = traced;
      const auto report = gather_report(files);
      EXPECT_TRUE(report.ok()) << report.error().message;
      auto made = report_document(report->input, {.points = 100});
      EXPECT_TRUE(made.ok()) << made.error().message;
      made->erase("sources");
      return made->dump();
    };
    for (const std::string& traced : {std::string(), std::string(trace)}) {
      const std::string expected = document(put("rows.csv", rows), traced);
      EXPECT_EQ(document(put("lines.jsonl", lines), traced), expected);
      for (const std::uint32_t seed : {1U, 2U}) {
        SCOPED_TRACE(seed);
        EXPECT_EQ(document(put("rows2.csv", shuffled(rows, true, seed)), traced), expected);
        EXPECT_EQ(document(put("lines2.jsonl", shuffled(lines, false, seed)), traced), expected);
      }
    }
  }
}

TEST_F(GatherStream, EverySampleThatIsPickedIsTheOneThatWasDecided) {
  write("paco");
  const auto report = gather_report(files_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (random() % 7 == 0) places.push_back(i);
    }
    const auto picked = report->input.samples->pick(places);
    ASSERT_TRUE(picked.ok()) << picked.error().message;
    ASSERT_EQ(picked->size(), places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ((*picked)[i].sequence, decisions_[places[i]].sequence);
      EXPECT_EQ((*picked)[i].score, decisions_[places[i]].score);
    }
  }
}

TEST_F(Gather, RefusesDecisionsThatChangeBeforeTheyAreShown) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const std::string text = kDecisions;
  put("decisions.csv", text.substr(0, text.find("2,c.jpg")));
  EXPECT_FALSE(report_document(report->input).ok()) << "it is shorter";
  std::string other = text;
  other.replace(other.find("existing,3"), 10, "existing,4");
  put("decisions.csv", other);
  const auto document = report_document(report->input);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::mismatch);
}

TEST_F(Gather, EvidenceOfNoMethodWeKnowIsKeptByItsNames) {
  ReportFiles files;
  files.decisions = put("d.csv",
                        "sequence,sample,verdict,category,name,hamming,prototype\n"
                        "0,a,known,1,dog,3,1\n1,b,tentative,1,dog,5,2\n");
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(evidence(report->input, 1, "hamming"), 5);
  const auto document = report_document(report->input);
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ((*document)["evidence"][0]["name"], "hamming");
  EXPECT_EQ((*document)["stream"]["verdicts"]["tentative"], 1);
}

TEST_F(Gather, RefusesATraceOfAnotherLength) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  const std::string trace = kTrace;
  files.trace = put("short.csv", trace.substr(0, trace.rfind("2,3,attach")));
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::mismatch);
  EXPECT_NE(report.error().message.find("short.csv"), std::string::npos);
  EXPECT_NE(report.error().message.find("decisions.csv"), std::string::npos);
}

TEST_F(Gather, RefusesATraceOfAnotherRun) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  std::string trace = kTrace;
  trace.replace(trace.find("1,3,create"), 10, "1,4,create");
  files.trace = put("trace.csv", trace);
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::mismatch);
}

TEST_F(Gather, EvaluatesWhereThereIsTruth) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.truth = put("truth.csv", "label\n1\n4\n4\n");
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_NE(report->input.evaluation, nullptr);
  EXPECT_EQ(report->input.evaluation->scores.strict.all.correct, 3);
}

TEST_F(Gather, NovelClassesAreCalledByTheirNames) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.truth = put("truth.csv", "label\n1\n4\n4\n");
  files.classes = put("classes.txt", "wren\nrobin\nowl\nheron\nstork\n");
  const auto report = gather_report(files);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->input.truth_names.at(4), "stork");
  EXPECT_EQ(report->input.evaluation->classes.back().name, "stork");
}

TEST_F(Gather, RefusesDecisionsThatAreOnlyIds) {
  ReportFiles files;
  files.decisions = folder_ / "decisions.npy";
  const std::vector<std::int64_t> ids = {0, 1, 2};
  const std::uint64_t shape[] = {3};
  ASSERT_TRUE(io::write_npy<std::int64_t>(files.decisions, shape, ids).ok());
  const auto report = gather_report(files);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().hint.find("csv"), std::string::npos);
}

TEST_F(Gather, RefusesAPictureIndexOfAnotherLength) {
  ReportFiles files;
  files.decisions = put("decisions.csv", kDecisions);
  files.images = "folder:" + folder_.path();
  files.images_index = folder_ / "index.npy";
  const std::vector<std::int64_t> index = {0, 1};
  const std::uint64_t shape[] = {2};
  ASSERT_TRUE(io::write_npy<std::int64_t>(files.images_index, shape, index).ok());
  EXPECT_FALSE(gather_report(files).ok());
}

}  // namespace
}  // namespace paco::report
