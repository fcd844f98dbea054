// Models on disk: the same model comes back, and a damaged or foreign file never does harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "damaged_file.hpp"
#include "data/npy.hpp"
#include "made_data.hpp"
#include "temporary_folder.hpp"

namespace paco {
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
  return *testing::calibrated(support, options);
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
  EXPECT_EQ(loaded->create.positives, model.create.positives);
  EXPECT_EQ(loaded->hi.value, model.hi.value);
  EXPECT_EQ(loaded->leader.interval_low, model.leader.interval_low);
  EXPECT_EQ(loaded->tau_birth_sup, model.tau_birth_sup);
  EXPECT_EQ(loaded->log_p0, model.log_p0);
  EXPECT_EQ(loaded->options.tie, model.options.tie);
  EXPECT_EQ(loaded->options.routing, model.options.routing);
  EXPECT_EQ(loaded->options.temperature, model.options.temperature);
  EXPECT_EQ(loaded->fingerprint(), model.fingerprint());
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
  other.options.routing = !other.options.routing;
  EXPECT_NE(model.fingerprint(), other.fingerprint());
  other = model;
  other.options.threads = 7;
  EXPECT_EQ(model.fingerprint(), other.fingerprint()) << "threads change no number";
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
  ASSERT_TRUE(write_npy<double>(folder / "x.npy", shape, numbers).ok());
  EXPECT_FALSE(load_model(folder / "x.npy").ok());
  const auto absent = load_model(folder / "absent.paco");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
}

TEST(ModelFile, ANameThatIsNotUtf8IsRepairedRatherThanThrown) {
  const TemporaryFolder folder;
  const Model model = tiny_model({"caf\xe9", "b", "c"});
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
}  // namespace paco
