// all-MiniLM-L6-v2 on 57 texts, odd Unicode among them: token numbers and embeddings as recorded.
// The weights are no part of the project; without them the tests are skipped.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "core/files.hpp"
#include "embed/cpu/plain_text.hpp"
#include "embed/text/text_encoder.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"
#include "math/matrix.hpp"

namespace paco {
namespace {

using Json = nlohmann::json;

std::string encoder_folder() {
  const char* folder = std::getenv("PACO_SHARED");
  return std::string(folder != nullptr ? folder : PACO_SOURCE_DIR "/../shared") + "/models/minilm";
}

class GoldenText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (core::path_kind(encoder_folder()) != core::PathKind::folder)
      GTEST_SKIP() << encoder_folder() << " is not here";
    const auto bytes = core::read_file(folder_ + "cases.json");
    const auto json = io::parse_json<Json>(
        {reinterpret_cast<const char*>(bytes->data()), bytes->size()}, "cases.json");
    texts_ = (*json)["texts"].get<std::vector<std::string>>();
    ids_ = (*json)["ids"].get<std::vector<std::vector<std::int32_t>>>();
    expected_ = io::read_npy<float>(folder_ + "embeddings.npy")->data;
  }

  std::unique_ptr<embed::TextEncoder> open(const embed::TextEncoderSettings& settings) {
    auto encoder = embed::TextEncoder::open(encoder_folder(), settings);
    if (encoder.ok()) return std::move(encoder).value();
    ADD_FAILURE() << encoder.error().message;
    return nullptr;
  }

  std::string folder_ = PACO_SOURCE_DIR "/tests/golden/text/";
  std::vector<std::string> texts_;
  std::vector<std::vector<std::int32_t>> ids_;
  std::vector<float> expected_;
};

TEST_F(GoldenText, TokensAreAsRecorded) {
  const auto encoder = open({});
  ASSERT_NE(encoder, nullptr);
  for (std::size_t i = 0; i < texts_.size(); ++i)
    EXPECT_EQ(encoder->tokens(texts_[i]), ids_[i]) << texts_[i];
}

TEST_F(GoldenText, EmbeddingsAreAsRecorded) {
  const auto encoder = open({});
  ASSERT_NE(encoder, nullptr);
  math::Matrix<float> out(texts_.size(), encoder->dimension());
  ASSERT_EQ(expected_.size(), out.rows() * out.columns());
  ASSERT_TRUE(encoder->encode(texts_, out.view()).ok());
  double worst = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i)
    worst = std::max(worst, std::fabs(double{out.data()[i]} - expected_[i]));
  std::printf("largest difference %.3g\n", worst);
  EXPECT_LE(worst, 1e-5);
}

TEST_F(GoldenText, ThePlainNetworkHasTheSameEmbeddings) {
  const auto encoder = open({});
  ASSERT_NE(encoder, nullptr);
  const auto weights = embed::find_encoder_weights(encoder_folder());
  ASSERT_TRUE(weights.ok());
  const auto tensors = embed::read_state_dict(*weights);
  ASSERT_TRUE(tensors.ok());
  for (const std::size_t i : {0u, 42u, 46u}) {
    const auto plain = embed::plain::forward_text(encoder->spec(), *tensors, ids_[i]);
    for (std::size_t j = 0; j < plain.size(); ++j)
      EXPECT_NEAR(plain[j], expected_[i * plain.size() + j], 1e-5) << texts_[i];
  }
}

}  // namespace
}  // namespace paco
