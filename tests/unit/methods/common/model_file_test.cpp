// Models on disk: the same model comes back, and a damaged or foreign file never does harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "damaged_file.hpp"
#include "io/npy.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::methods {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

Model tiny_model(std::vector<std::string> names = {}) {
  testing::MadePlan plan;
  plan.dimension = 2;
  plan.known = 3;
  plan.per_class = 2;
  const auto data = testing::make_data(plan, 1);
  SupportSet support = data.support_set();
  support.class_names = std::move(names);
  CalibrationOptions options = testing::varied_options(5);
  options.threads = 2;
  return *testing::calibrated_alone(support, options);
}

void expect_same_sections(const Model& a, const Model& b) {
  ASSERT_EQ(a.sections.size(), b.sections.size());
  for (const auto& [name, section] : b.sections) {
    ASSERT_TRUE(a.sections.contains(name)) << name;
    const Section& other = a.sections.at(name);
    EXPECT_EQ(other.settings, section.settings) << name;
    EXPECT_EQ(other.numbers, section.numbers) << name;
    EXPECT_EQ(other.words, section.words) << name;
    ASSERT_EQ(other.tensors.size(), section.tensors.size()) << name;
    for (const auto& [key, tensor] : section.tensors) {
      ASSERT_TRUE(other.tensors.contains(key)) << key;
      EXPECT_EQ(other.tensors.at(key).shape, tensor.shape) << key;
      EXPECT_EQ(other.tensors.at(key).values, tensor.values) << key;
    }
  }
}

TEST(ModelFile, ComesBackWithEveryField) {
  const TemporaryFolder folder;
  const Model model = tiny_model({"a,b", "quote \" and\nnewline", "żółw 🐢"});
  ASSERT_TRUE(save_model(model, folder / "m.paco").ok());
  const auto loaded = load_model(folder / "m.paco");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->class_names, model.class_names);
  EXPECT_EQ(loaded->class_sizes, model.class_sizes);
  EXPECT_EQ(loaded->mean, model.mean);
  EXPECT_EQ(loaded->deviation, model.deviation);
  EXPECT_EQ(loaded->references, model.references);
  EXPECT_EQ(loaded->method, model.method);
  EXPECT_EQ(loaded->epsilon, model.epsilon);
  EXPECT_EQ(loaded->wanted, model.wanted);
  EXPECT_EQ(loaded->reference, model.reference);
  EXPECT_EQ(loaded->prototype_quality.accuracy, model.prototype_quality.accuracy);
  EXPECT_EQ(loaded->classifier_quality.available, model.classifier_quality.available);
  expect_same_sections(*loaded, model);
  EXPECT_EQ(loaded->fingerprint(), model.fingerprint());
}

TEST(ModelFile, ASectionOfAnyMethodComesBackWithAllThatIsInIt) {
  Model model = tiny_model();
  Section& section = model.sections["peer"];
  section.settings = {{"bits", "12"}, {"mood", "calm, \"quoted\""}};
  section.numbers = {{"radius", 0.1}, {"tiny", 5e-324}, {"negative.zero", -0.0}};
  section.words = {{"layer", "żółw\n🐢"}};
  section.tensors["codes"] = {{2, 3}, std::vector<std::int64_t>{1, -2, 3, 4, 5, 6}};
  section.tensors["weights"] = {{2}, std::vector<float>{0.5f, -1e-30f}};
  section.tensors["means"] = {{1, 2}, std::vector<double>{1e300, 0.25}};
  section.tensors["nothing"] = {{0, 4}, std::vector<double>{}};
  const auto bytes = model_to_bytes(model);
  ASSERT_TRUE(bytes.ok());
  const auto loaded = model_from_bytes(*bytes, "m.paco");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  expect_same_sections(*loaded, model);
  EXPECT_EQ(loaded->fingerprint(), model.fingerprint());
  EXPECT_EQ(*loaded->section("peer").value()->number("radius"), 0.1);
  const auto missing = loaded->section("peer").value()->number("length");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("'length'"));
  EXPECT_TRUE(loaded->section("peer").value()->tensor<std::int64_t>("codes", 6).ok());
  EXPECT_FALSE(loaded->section("peer").value()->tensor<std::int64_t>("codes", 5).ok());
  EXPECT_FALSE(loaded->section("peer").value()->tensor<double>("codes", 6).ok());
}

TEST(ModelFile, SavingAgainGivesTheSameBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_model(tiny_model(), folder / "1.paco").ok());
  const auto loaded = load_model(folder / "1.paco");
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(save_model(*loaded, folder / "2.paco").ok());
  EXPECT_EQ(bytes_of(folder / "1.paco"), bytes_of(folder / "2.paco"));
}

TEST(ModelFile, TheFingerprintTellsModelsApart) {
  const Model model = tiny_model();
  Model other = model;
  other.references[0] = std::nextafter(other.references[0], 2.0f);
  EXPECT_NE(model.fingerprint(), other.fingerprint());
  other = model;
  other.sections["paco"].settings["routing"] = "elsewhere";
  EXPECT_NE(model.fingerprint(), other.fingerprint());
  other = model;
  other.sections["leader"].numbers["leader"] += 1e-9;
  EXPECT_NE(model.fingerprint(), other.fingerprint());
  other = model;
  other.method = "closed";
  EXPECT_NE(model.fingerprint(), other.fingerprint());
}

TEST(ModelFile, DamageIsAnErrorThatNamesTheFile) {
  const TemporaryFolder folder;
  const Model model = tiny_model();
  ASSERT_TRUE(save_model(model, folder / "good.paco").ok());
  testing::for_every_damage(bytes_of(folder / "good.paco"), folder / "bad.paco",
                            [&](const std::string& path, const std::string& what) {
                              const auto loaded = load_model(path);
                              if (loaded.ok()) {
                                EXPECT_EQ(loaded->fingerprint(), model.fingerprint()) << what;
                              } else {
                                EXPECT_THAT(loaded.error().message, HasSubstr("bad.paco")) << what;
                              }
                            });
}

TEST(ModelFile, AForeignFileIsNoModel) {
  const TemporaryFolder folder;
  const std::vector<std::uint64_t> shape{2};
  const std::vector<double> numbers{1, 2};
  ASSERT_TRUE(io::write_npy<double>(folder / "x.npy", shape, numbers).ok());
  EXPECT_FALSE(load_model(folder / "x.npy").ok());
  const auto absent = load_model(folder / "absent.paco");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
}

TEST(ModelFile, ANameThatIsNotUtf8IsRepairedRatherThanThrown) {
  const TemporaryFolder folder;
  Model model = tiny_model();
  model.class_names[0] = "caf\xe9";  // calibration refuses it; a host may still set it
  ASSERT_TRUE(save_model(model, folder / "m.paco").ok());
  const auto loaded = load_model(folder / "m.paco");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->class_names[0], "caf\xef\xbf\xbd");
  EXPECT_EQ(loaded->fingerprint(), model.fingerprint());
}

TEST(ModelFile, NothingIsWrittenWhereTheDiskRefuses) {
  const TemporaryFolder folder;
  const auto saved = save_model(tiny_model(), folder / "absent folder/m.paco");
  EXPECT_FALSE(saved.ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace paco::methods
