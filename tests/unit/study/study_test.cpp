// Studies: what they read, what a run changes of the data, and that results on the disk are
// results.
#include "study/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "io/npy.hpp"
#include "study/study_charts.hpp"
#include "study/study_data.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::study {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

void write_set(const std::string& folder, const testing::SyntheticData& data) {
  ASSERT_TRUE(core::make_folder(folder).ok());
  const auto matrix = [&](const char* name, const math::Matrix<double>& m) {
    const std::uint64_t shape[] = {m.rows(), m.columns()};
    ASSERT_TRUE(io::write_npy<double>(folder + "/" + name, shape,
                                      std::span(m.data(), m.rows() * m.columns()))
                    .ok());
  };
  const auto labels = [&](const char* name, const std::vector<std::int64_t>& values) {
    const std::uint64_t shape[] = {values.size()};
    ASSERT_TRUE(io::write_npy<std::int64_t>(folder + "/" + name, shape, values).ok());
  };
  matrix("support.npy", data.support);
  matrix("stream.npy", data.stream);
  labels("support_labels.npy", data.labels);
  labels("stream_labels.npy", data.truth);
}

SetMaker no_images() {
  return [](const train::ImageRecipe& recipe, const std::string&) -> Result<void> {
    return Error{ErrorCode::unsupported, recipe.name + " was to be made", ""};
  };
}

std::vector<DataSet> made_sets(const TemporaryFolder& folder) {
  write_set(folder / "birds", testing::make_data({}, 1));
  write_set(folder / "fish", testing::make_data({}, 2));
  auto sets = find_sets({folder / "birds", folder / "fish/"}, {});
  if (!sets.ok()) ADD_FAILURE() << sets.error().message;
  auto data =
      data_for(*plans_called("comparison").value()[0], *sets, 1, folder / "out", no_images());
  if (!data.ok()) ADD_FAILURE() << data.error().message;
  return std::move(data).value();
}

std::string text_of(const std::string& path) {
  const auto bytes = core::read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "";
}

StudyRequest request_for(const std::string& out) {
  StudyRequest request;
  request.contenders = {"paco", "closed", "ncm-threshold"};
  request.out = out;
  request.threads = 2;
  request.clock = [] { return 0.0; };
  return request;
}

TEST(Study, ASecondRunGivesTheSameBytesAndGoesOnFromWhatIsThere) {
  const TemporaryFolder folder;
  const std::vector<DataSet> sets = made_sets(folder);
  const Plan& plan = *plans_called("comparison").value()[0];
  core::NoProgress none;
  const auto first = run_study(plan, sets, request_for(folder / "one"), none, {});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->runs, 6u);
  // One result is lost, one is damaged, one is of another run.
  std::vector<std::string> results;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "one/runs"))
    results.push_back(entry.path().string());
  ASSERT_EQ(results.size(), 6u);
  std::sort(results.begin(), results.end());
  std::filesystem::remove(results[0]);
  std::ofstream(results[1]) << "{\"key\": \"";
  std::filesystem::copy_file(results[3], results[2],
                             std::filesystem::copy_options::overwrite_existing);
  std::map<std::string, std::string> before;
  for (const std::string& file : first->files) before[file] = text_of(file);
  const auto again = run_study(plan, sets, request_for(folder / "one"), none, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  for (const std::string& file : again->files) EXPECT_EQ(text_of(file), before[file]) << file;
  const auto elsewhere = run_study(plan, sets, request_for(folder / "two"), none, {});
  ASSERT_TRUE(elsewhere.ok());
  for (std::size_t i = 0; i < first->files.size(); ++i)
    EXPECT_EQ(text_of(elsewhere->files[i]), before[first->files[i]]);
  EXPECT_THAT(before[first->files[0]], HasSubstr("\"protocol\": \"greedy\""));
}

TEST(Study, AStoppedStudySaysHowToGoOn) {
  const TemporaryFolder folder;
  const std::vector<DataSet> sets = made_sets(folder);
  std::stop_source source;
  source.request_stop();
  core::NoProgress none;
  const auto done = run_study(*plans_called("comparison").value()[0], sets,
                              request_for(folder / "out"), none, source.get_token());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::interrupted);
  EXPECT_THAT(done.error().hint, HasSubstr("goes on where it was"));
}

TEST(Study, EveryPlanHasRunsAndEveryContenderAMethod) {
  const TemporaryFolder folder;
  const std::vector<DataSet> sets = made_sets(folder);
  for (const Plan& plan : all_plans()) {
    const auto runs = runs_of(plan, sets, {}, 1);
    ASSERT_TRUE(runs.ok()) << runs.error().message;
    EXPECT_EQ(runs->empty(), about_training(plan) || plan.question == Question::data_sets)
        << plan.name;
    for (const paco::study::Run& run : *runs) EXPECT_TRUE(method_info(run.contender.method).ok());
  }
  for (const std::string& label : contender_labels()) {
    const Contender contender = contender_called(label).value();
    const MethodInfo& info = *method_info(contender.method).value();
    EXPECT_TRUE(complete_settings(info.options, contender.calibrating,
                                  MethodOption::Stage::calibrating, info.name)
                    .ok())
        << label;
    EXPECT_TRUE(complete_settings(info.options, contender.deciding, MethodOption::Stage::deciding,
                                  info.name)
                    .ok())
        << label;
  }
  EXPECT_FALSE(contender_called("smile-17").ok());
  // SynC is what it is with class names; without them it is not run under its name.
  for (const paco::study::Run& run :
       runs_of(*plans_called("table1").value()[0], sets, {}, 1).value())
    EXPECT_NE(run.contender.label, "sync");
  const auto sync = runs_of(*plans_called("table1").value()[0], sets, {"sync"}, 1);
  ASSERT_FALSE(sync.ok());
  EXPECT_THAT(sync.error().hint, HasSubstr("ncm-threshold"));
  EXPECT_FALSE(plans_called("comparisons").ok());
  EXPECT_FALSE(plans_called("").ok());
  EXPECT_EQ(plans_called("sensitivity").value().size(), 4u);
  EXPECT_EQ(plans_called("all").value().size(), all_plans().size());
}

TEST(DataSet, FoldersThatCannotBeStudiedAreRefusedBeforeAnythingRuns) {
  const TemporaryFolder folder;
  const auto missing = read_data_set(folder / "none", "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("none/support.npy is not there"));
  testing::SyntheticData data = testing::make_data({}, 3);
  for (std::int64_t& label : data.truth) label %= 5;
  write_set(folder / "old", data);
  const auto old = read_data_set(folder / "old", "old");
  ASSERT_FALSE(old.ok());
  EXPECT_THAT(old.error().message, HasSubstr("no novel class"));
  for (std::int64_t& label : data.truth) label += 5;
  write_set(folder / "new", data);
  const auto novel = read_data_set(folder / "new", "new");
  ASSERT_FALSE(novel.ok());
  EXPECT_THAT(novel.error().message, HasSubstr("no sample of a known class"));
  testing::MadePlan single;
  single.per_class = 1;
  write_set(folder / "small", testing::make_data(single, 3));
  const auto small = read_data_set(folder / "small", "small");
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().message, HasSubstr("0 of its 5 known classes have a second"));
  const auto sets = find_sets({"cars"}, {{"cars", folder / "cars", {}, "ask for it"}});
  ASSERT_TRUE(sets.ok());
  const auto listed = data_for(all_plans()[0], *sets, 1, folder / "out", no_images());
  ASSERT_FALSE(listed.ok());
  EXPECT_THAT(listed.error().hint, HasSubstr("ask for it"));
}

TEST(DataSet, AShapeLeavesWhatItSaysAndTheTruthStaysTrue) {
  const TemporaryFolder folder;
  const DataSet data = made_sets(folder)[0];
  const DataSet few = shaped(data, {1, 3, 0, StreamOrder::given, false, 4});
  EXPECT_EQ(few.class_names.size(), 3u);
  ASSERT_EQ(few.truth.size(), data.truth.size());
  // Samples of one class before are of one class after, and the other way round.
  std::map<std::int64_t, std::int64_t> now;
  std::set<std::int64_t> used;
  for (std::size_t i = 0; i < few.truth.size(); ++i) {
    const auto [found, fresh] = now.emplace(data.truth[i], few.truth[i]);
    EXPECT_EQ(found->second, few.truth[i]);
    if (fresh) {
      EXPECT_TRUE(used.insert(few.truth[i]).second);
    }
  }
  for (const std::int64_t label : few.support_labels) EXPECT_LT(label, 3);
  for (std::size_t i = 0; i < few.truth.size(); ++i) {
    if (few.truth[i] < 3) {
      EXPECT_EQ(few.class_names[static_cast<std::size_t>(few.truth[i])],
                data.class_names[static_cast<std::size_t>(data.truth[i])]);
    }
  }
  const DataSet shots = shaped(data, {1, 0, 2, StreamOrder::given, false, 4});
  std::map<std::int64_t, int> counts;
  for (const std::int64_t label : shots.support_labels) ++counts[label];
  EXPECT_EQ(counts.size(), data.class_names.size());
  for (const auto& [label, count] : counts) EXPECT_LE(count, 2);
  const DataSet redrawn = shaped(data, {1, 0, 0, StreamOrder::given, true, 4});
  std::multiset<double> before, after;
  for (const DataSet* set : {&data, &redrawn}) {
    auto& all = set == &data ? before : after;
    for (std::size_t i = 0; i < set->support_labels.size(); ++i) all.insert(set->support[i][0]);
    for (std::size_t i = 0; i < set->truth.size(); ++i) all.insert(set->stream[i][0]);
  }
  EXPECT_EQ(before, after) << "a new draw loses no sample";
  EXPECT_EQ(redrawn.support_labels.size(), data.support_labels.size());
  for (std::size_t i = 0; i < data.truth.size(); ++i)
    EXPECT_EQ(data.truth[i] < 5, redrawn.truth[i] < 5);
  EXPECT_NE(redrawn.support_labels, data.support_labels);
  for (const StreamOrder order :
       {StreamOrder::shuffled, StreamOrder::by_class, StreamOrder::drifting}) {
    const DataSet moved = shaped(data, {1, 0, 0, order, false, 4});
    std::multiset<std::pair<std::int64_t, double>> a, b;
    for (std::size_t i = 0; i < data.truth.size(); ++i) {
      a.emplace(data.truth[i], data.stream[i][0]);
      b.emplace(moved.truth[i], moved.stream[i][0]);
    }
    EXPECT_EQ(a, b);
    EXPECT_NE(moved.truth, data.truth);
  }
}

TEST(DataSet, SamplesKeptApartAreOfKnownClassesAndLeaveTheStream) {
  const TemporaryFolder folder;
  const DataSet data = made_sets(folder)[0];
  DataShape shape;
  shape.kept_apart = 0.5;
  const DataSet apart = shaped(data, shape);
  const auto known = static_cast<std::int64_t>(data.class_names.size());
  EXPECT_EQ(apart.held_out.rows(), apart.held_out_labels.size());
  EXPECT_GT(apart.held_out_labels.size(), 0u);
  EXPECT_EQ(apart.stream.rows(), apart.truth.size());
  std::multiset<std::pair<std::int64_t, double>> before, after;
  for (std::size_t i = 0; i < data.truth.size(); ++i)
    before.emplace(data.truth[i], data.stream[i][0]);
  for (std::size_t i = 0; i < apart.truth.size(); ++i)
    after.emplace(apart.truth[i], apart.stream[i][0]);
  for (std::size_t i = 0; i < apart.held_out_labels.size(); ++i) {
    EXPECT_LT(apart.held_out_labels[i], known);
    after.emplace(apart.held_out_labels[i], apart.held_out[i][0]);
  }
  EXPECT_EQ(before, after);
}

nlohmann::ordered_json charts_of(const char* plan_name, const std::vector<DataSet>& sets,
                                 const StudyRequest& request) {
  const Plan& plan = *plans_called(plan_name).value()[0];
  const auto runs = runs_of(plan, sets, request.contenders, request.seeds);
  RunnerOptions options{request.out + "/runs", 2, request.clock};
  core::NoProgress none;
  const auto results = carry_out(*runs, sets, options, none, {});
  if (!results.ok()) ADD_FAILURE() << results.error().message;
  return study_charts(plan, *runs, *results, sets, sets[0].name);
}

TEST(StudyCharts, ARowHasItsIntervalAndTheDefaultMethodIsMarked) {
  const TemporaryFolder folder;
  const std::vector<DataSet> sets = made_sets(folder);
  const auto charts = charts_of("comparison", sets, request_for(folder / "out"));
  ASSERT_EQ(charts.size(), 3u);
  double last = 1;
  for (const auto& row : charts[0]["rows"]) {
    const double value = row["value"];
    EXPECT_LT(row["low"].get<double>(), value);
    EXPECT_GT(row["high"].get<double>(), value);
    EXPECT_EQ(row["preset"], row["label"] == method_names().front()) << row.dump();
    EXPECT_LE(value, last);
    last = value;
  }
  EXPECT_EQ(charts[0]["rows"].size(), 3u);
  EXPECT_EQ(charts[0]["range"], "95% interval over the samples");
  EXPECT_EQ(charts[2]["reference"]["value"], 10);
}

TEST(StudyCharts, SeveralSeedsGiveADeviationAndTheDefaultValueIsMarked) {
  const TemporaryFolder folder;
  const std::vector<DataSet> sets = made_sets(folder);
  StudyRequest request = request_for(folder / "out");
  request.contenders = {"paco"};
  request.seeds = 3;
  const auto alpha = charts_of("sensitivity-alpha", sets, request);
  ASSERT_EQ(alpha.size(), 1u);
  EXPECT_EQ(alpha[0]["range"], "one standard deviation over the seeds");
  EXPECT_EQ(alpha[0]["preset"], "1e6");
  EXPECT_EQ(alpha[0]["joined"], true);
  EXPECT_EQ(alpha[0]["lines"][0]["points"].size(), 7u);
  const auto order = charts_of("order", sets, request);
  EXPECT_EQ(order[0]["kind"], "bars");
  for (const auto& row : order[0]["rows"]) EXPECT_EQ(row["preset"], row["label"] == "given");
}

}  // namespace
}  // namespace paco::study
