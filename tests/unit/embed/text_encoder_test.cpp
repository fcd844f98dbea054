// The text encoder has the outputs of the plain one, and a text's embedding is its own: the same
// bytes whatever is embedded with it, in any order and on any number of threads.
#include "embed/text/text_encoder.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "core/files.hpp"
#include "core/random.hpp"
#include "embed/cpu/plain_text.hpp"
#include "embed/cpu/text_network.hpp"
#include "embed/embed_texts.hpp"
#include "math/matrix.hpp"
#include "temporary_folder.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFolder = PACO_SOURCE_DIR "/tests/golden/tiny_text";

std::vector<std::string> some_texts(std::size_t count, std::uint64_t seed) {
  core::Random random(seed);
  const char* const kWords[] = {"card", "refund", "Payment", "lost,", "xyz", "卡", "where?", "é"};
  std::vector<std::string> texts(count);
  for (std::string& text : texts)
    for (std::uint64_t words = random.below(30); words > 0; --words)
      text += std::string(kWords[random.below(8)]) + " ";
  return texts;
}

std::vector<float> embed_all(const std::vector<std::string>& texts, unsigned threads,
                             const std::string& precision, std::size_t at_once) {
  TextEncoderSettings settings;
  settings.threads = threads;
  settings.precision = precision;
  const auto encoder = TextEncoder::open(kFolder, settings);
  EXPECT_TRUE(encoder.ok()) << encoder.error().message;
  math::Matrix<float> out(texts.size(), (*encoder)->dimension());
  for (std::size_t first = 0; first < texts.size(); first += at_once) {
    const std::size_t count = std::min(at_once, texts.size() - first);
    EXPECT_TRUE((*encoder)
                    ->encode(std::span(texts).subspan(first, count), out.view().slice(first, count))
                    .ok());
  }
  return {out.data(), out.data() + texts.size() * out.columns()};
}

TEST(TextNetwork, HasTheOutputsOfThePlainOne) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    TextSpec spec;
    spec.width = seed == 1 ? 36 : 64;
    spec.heads = seed == 1 ? 3 : 2;
    spec.depth = 2;
    spec.hidden = seed == 2 ? 50 : 128;
    spec.vocabulary = 40;
    spec.positions = 150;
    spec.pooling = seed == 3 ? Pooling::first : Pooling::mean;
    spec.unit_length = seed != 2;
    core::Random random(seed);
    StateDict tensors;
    for (const TensorSlot& slot : text_slots(spec)) {
      NamedTensor tensor{slot.name, slot.shape, {}};
      std::size_t count = 1;
      for (const std::uint64_t size : slot.shape) count *= size;
      const double middle = slot.name.ends_with("LayerNorm.weight") ? 1 : 0;
      for (std::size_t i = 0; i < count; ++i)
        tensor.values.push_back(static_cast<float>(middle + 0.2 * random.normal()));
      tensors.push_back(std::move(tensor));
    }
    const auto network = make_text_network(spec, tensors, "random");
    ASSERT_TRUE(network.ok()) << network.error().message;
    std::vector<std::int32_t> tokens;
    std::vector<std::size_t> ends;
    for (const std::size_t length : {1u, 7u, 150u, 2u}) {
      for (std::size_t t = 0; t < length; ++t)
        tokens.push_back(static_cast<std::int32_t>(random.below(40)));
      ends.push_back(tokens.size());
    }
    std::vector<float> out(ends.size() * spec.width);
    Scratch scratch;
    (*network)->run(tokens, ends, out.data(), scratch);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::size_t first = i == 0 ? 0 : ends[i - 1];
      const auto expected =
          plain::forward_text(spec, tensors, std::span(tokens).subspan(first, ends[i] - first));
      double difference = 0, size = 0;
      for (std::size_t j = 0; j < spec.width; ++j) {
        difference += std::pow(out[i * spec.width + j] - expected[j], 2);
        size += std::pow(expected[j], 2);
      }
      EXPECT_LE(std::sqrt(difference / size), 1e-5) << "text " << i << ", seed " << seed;
    }
  }
}

TEST(TextEncoder, AnyBatchAndAnyNumberOfThreadsGiveTheSameBytes) {
  const auto texts = some_texts(70, 4);
  for (const char* precision : {"float32", "bfloat16", "int8"}) {
    if (!parse_cpu_precision(precision).ok()) continue;
    const auto expected = embed_all(texts, 1, precision, texts.size());
    for (const unsigned threads : {1u, 2u, 5u})
      for (const std::size_t at_once : {std::size_t{1}, std::size_t{33}, texts.size()})
        EXPECT_TRUE(embed_all(texts, threads, precision, at_once) == expected)
            << precision << ", " << threads << " threads, " << at_once << " texts at once, seed 4";
  }
}

// Asks for a stop when so many texts are done.
class StopAfter final : public core::Progress {
 public:
  explicit StopAfter(std::uint64_t texts) : texts_(texts) {}
  void start(std::string_view, std::string_view, std::optional<std::uint64_t>) override {}
  void update(std::uint64_t done, std::string_view) override {
    if (done >= texts_) stop.request_stop();
  }
  void finish() override {}
  std::stop_source stop;

 private:
  std::uint64_t texts_;
};

TEST(TextEncoder, AFileThatWasInterruptedAndResumedHasTheSameBytes) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> texts = some_texts(900, 8);
  TextEncoderSettings settings;
  settings.threads = 1;
  const auto encoder = TextEncoder::open(kFolder, settings);
  ASSERT_TRUE(encoder.ok()) << encoder.error().message;
  EmbedFileOptions options;
  options.part_rows = 300;
  options.out = folder.path() + "/whole.npy";
  core::NoProgress silent;
  const auto whole = embed_texts_to_file(texts, **encoder, options, silent);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_FALSE(whole->cut.empty());
  options.out = folder.path() + "/resumed.npy";
  options.resume = true;
  for (const std::uint64_t until : {1, 600}) {
    StopAfter progress(until);
    const auto stopped =
        embed_texts_to_file(texts, **encoder, options, progress, progress.stop.get_token());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::interrupted) << stopped.error().message;
  }
  const auto resumed = embed_texts_to_file(texts, **encoder, options, silent);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->resumed, 768U);
  EXPECT_EQ(resumed->cut, whole->cut);
  EXPECT_EQ(*core::read_file(folder.path() + "/whole.npy"), *core::read_file(options.out));
  std::vector<std::string> others = texts;
  others[0] = "another";
  StopAfter progress(600);
  ASSERT_FALSE(
      embed_texts_to_file(texts, **encoder, options, progress, progress.stop.get_token()).ok());
  const auto foreign = embed_texts_to_file(others, **encoder, options, silent);
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().message, HasSubstr("of another run"));
}

TEST(TextEncoder, SaysWhichTextsAreEmptyAndWhichAreCut) {
  const auto encoder = TextEncoder::open(kFolder, {});
  ASSERT_TRUE(encoder.ok()) << encoder.error().message;
  std::string large;  // a megabyte
  while (large.size() < 1'000'000) large += "card ";
  const std::vector<std::string> texts = {"card", "", large, " \t\n", "\u200b"};
  math::Matrix<float> out(texts.size(), (*encoder)->dimension());
  const auto report = (*encoder)->encode(texts, out.view());
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->empty, ElementsAre(1, 3, 4));
  EXPECT_THAT(report->cut, ElementsAre(2));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double length = std::inner_product(out[i].begin(), out[i].end(), out[i].begin(), 0.0);
    EXPECT_NEAR(length, 1, 1e-6) << "text " << i;
  }
}

TEST(TextEncoder, ItsRecordChangesWithWhatChangesEmbeddings) {
  const auto record = [](const TextEncoderSettings& settings) {
    return (*TextEncoder::open(kFolder, settings))->record();
  };
  const EmbeddingRecord usual = record({});
  EXPECT_EQ(usual.dimension, 16u);
  EXPECT_EQ(usual.weights.size(), 64u);
  TextEncoderSettings other;
  other.threads = 2;
  EXPECT_EQ(record(other), usual) << "threads change no embedding";
  other.pooling = Pooling::first;
  EXPECT_NE(record(other), usual);
  other = {};
  other.most_tokens = 9;
  EXPECT_NE(record(other), usual);
}

TEST(TextEncoder, AFolderThatIsNoneIsRefusedByWhatIsMissing) {
  const testing::TemporaryFolder folder;
  const auto message = [&] {
    const auto encoder = TextEncoder::open(folder.path(), {});
    return encoder.ok() ? "accepted" : encoder.error().message;
  };
  const auto copy = [&](const char* name) {
    const auto bytes = core::read_file(kFolder + "/" + name);
    ASSERT_TRUE(bytes.ok());
    ASSERT_TRUE(core::write_file(folder / name, *bytes).ok());
  };
  EXPECT_THAT(message(), HasSubstr("config.json"));
  copy("config.json");
  EXPECT_THAT(message(), HasSubstr("vocab.txt"));
  copy("vocab.txt");
  EXPECT_THAT(message(), HasSubstr("no weights"));
  copy("model.safetensors");
  EXPECT_EQ(message(), "accepted");
  ASSERT_TRUE(
      core::write_file(folder / "vocab.txt", std::string_view("[UNK]\n[CLS]\n[SEP]\n")).ok());
  EXPECT_EQ(message(), "accepted") << "a vocabulary may be smaller than the network's";
  std::string large = "[UNK]\n[CLS]\n[SEP]\n";
  for (int i = 0; i < 1000; ++i) large += std::to_string(i) + "\n";
  ASSERT_TRUE(core::write_file(folder / "vocab.txt", std::string_view(large)).ok());
  EXPECT_THAT(message(), HasSubstr("1003 pieces"));
}

TEST(TextSpec, AConfigurationOfAnotherNetworkIsRefusedByName) {
  const auto message = [](const std::string& more) {
    const auto spec = parse_text_config(
        R"({"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, )"
        R"("intermediate_size": 8, "max_position_embeddings": 16, "type_vocab_size": 1)" +
            more + "}",
        "config.json");
    return spec.ok() ? "accepted" : spec.error().message;
  };
  EXPECT_EQ(message(R"(, "vocab_size": 9)"), "accepted");
  EXPECT_THAT(message(""), HasSubstr("vocab_size"));
  EXPECT_THAT(message(R"(, "vocab_size": 9, "model_type": "roberta")"), HasSubstr("roberta"));
  EXPECT_THAT(message(R"(, "vocab_size": 9, "hidden_act": "relu")"), HasSubstr("relu"));
  EXPECT_THAT(message(R"(, "vocab_size": 9, "layer_norm_eps": -1)"), HasSubstr("layer_norm_eps"));
  EXPECT_THAT(message(R"(, "vocab_size": 1e99)"), HasSubstr("vocab_size"));
}

}  // namespace
}  // namespace paco::embed
