// The folder of a training run is found and told apart from others.
#include "embed/weights/run_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/files.hpp"

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

paco::embed::TrainedRun made_run() {
  TrainedRun run;
  run.net = *make_spec("small", 32, 4);
  run.class_names = {"coat", "dress"};
  run.training = R"({"epochs":3})";
  run.tensors = {{"backbone.x", {3}, {1, 2, 3}},
                 {"classifier.weight", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}};
  return run;
}

class RunFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "run_folder_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(RunFolder, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(write_run(folder_, made_run()).ok());
  for (const std::string& path : {folder_, folder_ + "/weights.safetensors"}) {
    const auto run = read_run(path);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run->net, made_run().net);
    EXPECT_EQ(run->class_names, made_run().class_names);
    EXPECT_EQ(run->training, made_run().training);
    ASSERT_EQ(run->tensors.size(), 2u);
    EXPECT_EQ(run->tensors[1].values, made_run().tensors[1].values);
  }
}

TEST_F(RunFolder, AFullDiskLeavesTheOldRunReadable) {
  ASSERT_TRUE(write_run(folder_, made_run()).ok());
  paco::embed::TrainedRun changed = made_run();
  changed.tensors[0].values = {7, 8, 9};
  bool failed = true;
  for (std::uint64_t n = 1; failed; ++n) {
    const core::FailNthOperation fault(n);
    failed = !write_run(folder_, changed).ok();
    ASSERT_EQ(failed, fault.happened()) << "operation " << n;
    const auto run = read_run(folder_);
    if (!run.ok()) continue;  // the fault hit the reading
    const float first = run->tensors[0].values[0];
    EXPECT_TRUE(first == 1 || first == 7) << "operation " << n;
  }
  EXPECT_TRUE(read_run(folder_).ok());
}

TEST_F(RunFolder, NamesThatDoNotFitTheClassifierAreRefused) {
  paco::embed::TrainedRun run = made_run();
  run.class_names.push_back("shirt");
  const auto written = write_run(folder_, run);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::mismatch);
}

TEST_F(RunFolder, AFolderWithoutARunIsNotFound) {
  const auto run = read_run(folder_);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::not_found);
  EXPECT_THAT(run.error().message, HasSubstr(folder_));
}

}  // namespace
}  // namespace paco::embed
