// Files are told apart by their content.
#include "io/format.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "core/random.hpp"
#include "data_files.hpp"

namespace paco::io {
namespace {

std::string_view detect(const std::string& text) {
  return detect_format(testing::bytes_of(text)).name;
}

std::string fvecs(const std::vector<std::uint32_t>& bits) {
  const auto dimension = static_cast<std::uint32_t>(bits.size());
  return std::string(reinterpret_cast<const char*>(&dimension), 4) +
         std::string(reinterpret_cast<const char*>(bits.data()), 4 * bits.size());
}

TEST(Format, EveryFileOfTheCorpusIsKnown) {
  const std::pair<const char*, const char*> folders[] = {{"npy", "npy"},
                                                         {"npz", "npz"},
                                                         {"safetensors", "safetensors"},
                                                         {"csv", "csv"},
                                                         {"jsonl", "jsonl"},
                                                         {"fvecs", "fvecs"},
                                                         {"tar", "tar"},
                                                         {"jpeg", "jpeg"},
                                                         {"png", "png"},
                                                         {"webp", "webp"},
                                                         {"artifact", "safetensors"}};
  for (const auto& [folder, format] : folders) {
    for (const std::string& path : testing::corpus_files(folder)) {
      auto stream = ByteStream::open(path);
      ASSERT_TRUE(stream.ok());
      EXPECT_EQ((*detect_format(*stream))->name, format) << path;
      EXPECT_EQ(stream->position(), 0u) << "nothing is taken from the stream";
    }
  }
}

// Dimension, 0.0, and a value whose lowest byte is "{": the first bytes of a safetensors file.
TEST(Format, FvecsThatBeginWithZeroAreNotSafetensors) {
  core::Random random(5);
  for (const std::size_t dimension : {2, 3, 8, 16, 64, 128, 600, 1000}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::uint32_t> bits(dimension);
      for (auto& value : bits)
        value = std::bit_cast<std::uint32_t>(static_cast<float>(random.normal()));
      bits[0] = 0;
      bits[1] = (bits[1] & ~0xffu) | '{';
      // The next byte as JSON would have it, too.
      if (round % 2 == 0) bits[1] = (bits[1] & ~0xff00u) | ('"' << 8);
      EXPECT_EQ(detect(fvecs(bits) + fvecs(bits)), "fvecs") << dimension << " round " << round;
    }
  }
}

TEST(Format, ControlCharactersInNamesFurtherDownLeaveATableText) {
  EXPECT_EQ(detect("id,x0\n\"\x1b[31ma\",1\n\"b\x01\",2\n"), "csv");
  EXPECT_EQ(detect("{\"id\":1}\n\x01"), "jsonl");
  EXPECT_EQ(detect(std::string("ab\0c\n1,2\n3,4\n", 14)), "unknown");
  EXPECT_EQ(detect(std::string("\x01"
                               "1,2\n3,4\n5,6\n")),
            "unknown");
}

}  // namespace
}  // namespace paco::io
