// One step, alone and in company.
#include "train/trainer.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <torch/torch.h>
#include <unistd.h>

#include <thread>

namespace paco::train {
namespace {

constexpr int kViewSide = 16;
constexpr std::int64_t kClasses = 4;

// A port that was free a moment ago.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

struct MadeViews {
  torch::Tensor pixels;  // (2, b, S, S, 3)
  std::vector<std::int64_t> labels;
  MadeViews rows(std::int64_t first, std::int64_t count) const {
    return {pixels.narrow(1, first, count).contiguous(),
            std::vector<std::int64_t>(labels.begin() + first, labels.begin() + first + count)};
  }
};

MadeViews made_views(std::int64_t samples) {
  torch::manual_seed(3);
  MadeViews views;
  views.pixels = torch::randint(0, 120, {2, samples, kViewSide, kViewSide, 3}).to(torch::kUInt8);
  for (std::int64_t i = 0; i < samples; ++i) {
    views.labels.push_back(i % kClasses);
    // Every class has a bright row of its own.
    views.pixels.select(1, i).narrow(1, 4 * (i % kClasses), 3).fill_(250);
  }
  return views;
}

std::unique_ptr<Trainer> make_trainer(const TrainOptions& options,
                                      std::shared_ptr<ProcessGroup> group = single_process()) {
  auto net = embed::make_net(*embed::make_spec("small", kViewSide, 12), options.seed);
  return std::make_unique<Trainer>(*net, kClasses, options, torch::kCPU, std::move(group));
}

std::vector<torch::Tensor> gradients(Trainer& trainer) {
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : trainer.optimizer().parameters()) {
    gradients.push_back(parameter.grad().clone());
  }
  return gradients;
}

TEST(Trainer, TwoProcessesHaveTheGradientOfTheJointBatch) {
  const auto views = made_views(15);
  const auto alone = make_trainer({});
  const auto expected_parts = alone->gradient(views.pixels, views.labels, core::Random(7));
  const auto expected = gradients(*alone);

  // Two members of a gloo group on loopback, as threads here; tests/cli runs two programs. The
  // shares differ in size.
  const int port = free_port();
  std::vector<torch::Tensor> found[2];
  torch::Tensor parts[2];
  const auto member = [&](int rank) {
    GroupOptions options;
    options.rank = rank;
    options.size = 2;
    options.port = port;
    options.timeout_seconds = 60;
    auto group = join_group(options, torch::kCPU);
    ASSERT_TRUE(group.ok()) << group.error().message;
    const auto share = rank == 0 ? views.rows(0, 8) : views.rows(8, 7);
    const auto trainer = make_trainer({}, std::move(*group));
    parts[rank] = trainer->gradient(share.pixels, share.labels, core::Random(7));
    found[rank] = gradients(*trainer);
  };
  std::thread other(member, 1);
  member(0);
  other.join();
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(found[rank].size(), expected.size());
    EXPECT_LT((parts[rank] - expected_parts).abs().max().item<double>(), 1e-5) << "rank " << rank;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double scale = expected[i].abs().max().item<double>() + 1e-3;
      EXPECT_LT((found[rank][i] - expected[i]).abs().max().item<double>(), 1e-4 * scale)
          << "rank " << rank << ", parameter " << i;
      EXPECT_TRUE(torch::equal(found[0][i], found[1][i])) << "parameter " << i;
    }
  }
}

TEST(Trainer, LearnsToTellTheClassesApart) {
  const auto views = made_views(16);
  TrainOptions options;
  options.backbone_rate = options.head_rate = 3e-3;
  const auto trainer = make_trainer(options);
  const auto first = trainer->step(views.pixels, views.labels, core::Random(0), 1.0);
  torch::Tensor last;
  for (int i = 1; i < 30; ++i)
    last = trainer->step(views.pixels, views.labels, core::Random(i), 1.0);
  EXPECT_LT(last[kLoss].item<double>(), 0.7 * first[kLoss].item<double>());
  EXPECT_GT(last[kAccuracy].item<double>(), 0.9);
  EXPECT_GT(last[kGradient].item<double>(), 0.0);
}

TEST(Trainer, LossIsClassificationPlusTheWeightedEpisode) {
  const auto views = made_views(12);
  TrainOptions options;
  const auto parts = make_trainer(options)->gradient(views.pixels, views.labels, core::Random(1));
  EXPECT_GT(parts[kStat].item<double>(), 0.0);
  EXPECT_NEAR(parts[kLoss].item<double>(),
              parts[kCls].item<double>() + 0.2 * parts[kStat].item<double>(), 1e-4);
  options.use_stat = false;
  const auto ablated = make_trainer(options)->gradient(views.pixels, views.labels, core::Random(1));
  EXPECT_EQ(ablated[kStat].item<double>(), 0.0);
  EXPECT_NEAR(ablated[kLoss].item<double>(), parts[kCls].item<double>(), 1e-5);
  options.use_margin = false;
  const auto plain = make_trainer(options)->gradient(views.pixels, views.labels, core::Random(1));
  EXPECT_LT(plain[kLoss].item<double>(), ablated[kLoss].item<double>()) << "a margin costs";
}

TEST(Trainer, OnlyTheChosenBlocksLearn) {
  const auto views = made_views(8);
  for (const auto blocks : {TrainBlocks::head, TrainBlocks::last, TrainBlocks::all}) {
    TrainOptions options;
    options.blocks = blocks;
    const auto trainer = make_trainer(options);
    std::map<std::string, torch::Tensor> before;
    for (const auto& item : trainer->net().named_parameters()) {
      before[item.key()] = item.value().detach().clone();
    }
    const auto classifier = trainer->classifier().detach().clone();
    trainer->step(views.pixels, views.labels, core::Random(0), 1.0);
    EXPECT_FALSE(torch::equal(classifier, trainer->classifier()));
    std::size_t moved = 0, moved_head = 0;
    for (const auto& item : trainer->net().named_parameters()) {
      if (torch::equal(before[item.key()], item.value())) continue;
      ++(item.key().starts_with("head.") ? moved_head : moved);
    }
    const auto all = trainer->net().backbone->parameters().size();
    const auto last = trainer->net().backbone->last_block().size();
    EXPECT_EQ(moved_head, 2u);
    EXPECT_EQ(moved, blocks == TrainBlocks::head   ? 0
                     : blocks == TrainBlocks::last ? last
                                                   : all)
        << train_blocks_name(blocks);
  }
}

}  // namespace
}  // namespace paco::train
