// mirror against the recorded answers of its NumPy reference: calibrated numbers and decisions, in
// stored order and class by class, on the made sets in this folder and on the real CUB embeddings
// where they lie beside the project.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "golden_case.hpp"
#include "methods/mirror/pseudo_stream.hpp"
#include "mirror_case.hpp"
#include "unit/math/targets.hpp"

namespace paco::testing {
namespace {

struct Recorded {
  math::Matrix<double> support, stream;
  std::vector<std::int64_t> labels, truth, category;
  nlohmann::json expected;  // of the calibration, and of this order of the stream
  methods::MirrorOptions options;
  std::shared_ptr<const methods::MirrorModel> learned;
  std::shared_ptr<const Model> model;
};

// Loaded and calibrated once for all tests.
const Recorded& recorded(const std::string& name, const std::string& order) {
  static std::map<std::string, Recorded> cases;
  const auto [place, absent] = cases.try_emplace(name + order);
  Recorded& c = place->second;
  if (!absent) return c;
  const bool real = name.rfind("cub", 0) == 0;
  const std::string golden = std::string(PACO_SOURCE_DIR) + "/tests/golden/";
  const std::string data = real ? shared_folder() + "/data/" + name : golden + name;
  const std::string answers =
      real ? shared_folder() + "/golden/mirror2/" + name : golden + "mirror2/" + name;
  c.support = read_matrix(data + "/support.npy");
  c.labels = read_vector<std::int64_t>(data + "/support_labels.npy");
  c.category = read_vector<std::int64_t>(answers + "/" + order + "_category.npy");
  c.expected = nlohmann::json::parse(std::ifstream(answers + "/expected.json"));
  c.expected.update(c.expected.at(order));
  const math::Matrix<double> stored = read_matrix(data + "/stream.npy");
  const auto truth = read_vector<std::int64_t>(data + "/stream_labels.npy");
  c.stream = math::Matrix<double>(stored.rows(), stored.columns());
  for (const std::int64_t i : read_vector<std::int64_t>(answers + "/" + order + "_order.npy")) {
    std::copy_n(stored[static_cast<std::size_t>(i)].data(), stored.columns(),
                c.stream[c.truth.size()].data());
    c.truth.push_back(truth[static_cast<std::size_t>(i)]);
  }
  c.learned = learned_from(c.support, c.labels, c.options);
  if (c.learned) c.model = model_with(*c.learned, c.support, c.labels);
  return c;
}

class GoldenMirror : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    const auto [name, order] = GetParam();
    const std::string folder = shared_folder() + "/data/" + name;
    if (std::string(name).rfind("cub", 0) == 0 && !std::filesystem::exists(folder))
      GTEST_SKIP() << "real embeddings are absent: " << folder;
    golden_ = &recorded(name, order);
    ASSERT_NE(golden_->model, nullptr);
  }

  double strict(std::span<const Decision> decisions) const {
    std::vector<std::uint32_t> answered, truth(golden_->truth.begin(), golden_->truth.end());
    for (const Decision& d : decisions) answered.push_back(static_cast<std::uint32_t>(d.category));
    return methods::strict_all(truth, answered);
  }

  void expect_recorded(std::span<const Decision> decisions) const {
    std::size_t different = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i)
      different += decisions[i].category != golden_->category[i] ? 1 : 0;
    EXPECT_LE(different, decisions.size() / 1000) << "of " << decisions.size();
    EXPECT_NEAR(strict(decisions), golden_->expected.at("strict").at(0).get<double>(), 0.003);
  }

  const Recorded* golden_ = nullptr;
};

TEST_P(GoldenMirror, CalibrationIsTheRecordedOne) {
  const methods::MirrorModel& m = *golden_->learned;
  const auto close = [&](double value, const char* name) {
    const double expected = golden_->expected.at(name);
    EXPECT_NEAR(value, expected, 1e-6 * std::abs(expected)) << name;
  };
  EXPECT_NEAR(m.tau, golden_->expected.at("tau").get<double>(), 1e-12);
  close(m.embedding.alpha, "alpha");
  close(m.rho, "rho");
  close(m.slope, "slope");
  close(m.sure, "sure");
  close(m.start, "start");
  close(m.tail, "tail");
  close(m.floor, "floor");
}

TEST_P(GoldenMirror, TheFastFormDecidesAsRecordedForEveryBlockSizeAndThreadCount) {
  const auto first = method_for("mirror", golden_->model);
  const auto expected = decide_all(*first, golden_->stream, 256);
  expect_recorded(expected);
  std::set<CategoryId> clusters;
  for (const Decision& d : expected) clusters.insert(d.category);
  EXPECT_NEAR(static_cast<double>(clusters.size()), golden_->expected.at("clusters").get<double>(),
              0.01 * static_cast<double>(clusters.size()));
  for (const Statistic& figure : first->statistics()) {
    if (figure.name == "samples_per_class") {
      // The figure is that of the last sample, the recorded one that after it.
      EXPECT_NEAR(figure.value, golden_->expected.at("length").get<double>(),
                  0.1 + 2.0 / static_cast<double>(golden_->learned->known()));
    }
    if (figure.name == "threshold") {
      EXPECT_NEAR(figure.value, golden_->expected.at("end").get<double>(), 1e-3);
    }
  }
  for (const auto& [block, threads] :
       std::vector<std::pair<std::size_t, int>>{{1, 1}, {7, 2}, {1024, 2}}) {
    const auto method = method_for("mirror", golden_->model, threads);
    ASSERT_TRUE(same_decisions(expected, decide_all(*method, golden_->stream, block)))
        << "block " << block << ", threads " << threads;
  }
}

TEST_P(GoldenMirror, ThePlainFormDecidesAsTheFastOne) {
  // The plain form takes seconds on real streams: their first samples will do.
  const std::size_t rows = std::min<std::size_t>(golden_->stream.rows(), 1200);
  const auto fast = method_for("mirror", golden_->model);
  const auto plain = method_for("mirror-reference", golden_->model);
  const auto stream = golden_->stream.view().slice(0, rows);
  EXPECT_TRUE(same_decisions(decide_all(*plain, stream, 100), decide_all(*fast, stream, 100)));
  EXPECT_EQ(content_of(*plain), content_of(*fast));
}

// On the made sets alone: it calibrates once for every instruction set.
class GoldenMirrorEverywhere : public GoldenMirror {};

TEST_P(GoldenMirrorEverywhere, InstructionSetsAndThreadsChangeNeitherModelNorDecisions) {
  const auto bytes = model_to_bytes(*golden_->model).value();
  const auto expected = decide_all(*method_for("mirror", golden_->model), golden_->stream, 64);
  for_every_target([&] {
    core::ThreadPool pool(3);
    core::NoProgress progress;
    const auto learned =
        methods::calibrate_mirror(golden_->support, golden_->labels, classes_of(golden_->labels),
                                  golden_->options, pool, progress, {});
    ASSERT_TRUE(learned.ok()) << learned.error().message;
    const auto model = model_with(*learned, golden_->support, golden_->labels);
    EXPECT_EQ(model_to_bytes(*model).value(), bytes);
    const auto method = method_for("mirror", golden_->model);
    EXPECT_TRUE(same_decisions(expected, decide_all(*method, golden_->stream, 64)));
  });
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<const char*, const char*>>& p) {
  std::string name = std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, GoldenMirror,
                         ::testing::Combine(::testing::Values("tiny", "overlap", "wide",
                                                              "cub-frozen", "cub-finetuned"),
                                            ::testing::Values("stored", "by_class")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Recorded, GoldenMirrorEverywhere,
                         ::testing::Combine(::testing::Values("tiny", "overlap", "wide"),
                                            ::testing::Values("stored", "by_class")),
                         name_of);

}  // namespace
}  // namespace paco::testing
