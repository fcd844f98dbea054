// The parts of the server that need no socket: samples out of a request, pictures, tokens,
// names, and what a stream is asked for.
#include <gmock/gmock.h>

#include <algorithm>
#include <future>

#include "core/random.hpp"
#include "server/http.hpp"
#include "server/log.hpp"
#include "server/samples.hpp"
#include "server/stream.hpp"
#include "server/streams.hpp"
#include "server/tokens.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Samples, JsonGivesRowsAndNames) {
  Samples out;
  const auto bad = read_json_samples(
      R"( {"samples": [{"embedding": [1, -2.5e1]}, {"key": "a\u00e9", "embedding": [0.1, 3],)"
      R"( "attributes": {"b": [1] , "a": 1}}]} )",
      2, {}, out);
  ASSERT_TRUE(bad);  // attributes are flat
  EXPECT_EQ(bad->row, 1u);
  Samples good;
  ASSERT_FALSE(read_json_samples(
      R"({"samples":[{"embedding":[1,-2.5e1]},{"key":"a\u00e9","embedding":[0.1,3],)"
      R"("id":"x","attributes":{"b":"}","a":1}}]})",
      2, {}, good));
  EXPECT_THAT(good.embeddings, ElementsAre(1, -25, 0.1, 3));
  EXPECT_THAT(good.keys, ElementsAre("", "a\u00e9"));
  EXPECT_THAT(good.ids, ElementsAre("", "x"));
  EXPECT_THAT(good.attributes, ElementsAre("", R"({"b":"}","a":1})"));
  EXPECT_TRUE(good.pictures.empty());
}

TEST(Samples, ATextComesInPlaceOfAnEmbedding) {
  Samples out;
  ASSERT_FALSE(read_line_samples("{\"text\":\"a card\",\"key\":\"k\"}\n{\"embedding\":[1,2]}\n", 2,
                                 {}, out));
  EXPECT_THAT(out.texts, ElementsAre("a card", ""));
  EXPECT_THAT(out.embeddings, ElementsAre(0, 0, 1, 2));
  const auto fault = [](const std::string& line) {
    Samples none;
    const auto bad = read_line_samples(line, 2, {}, none);
    return bad ? bad->error.message : "accepted";
  };
  EXPECT_THAT(fault(R"({"text":"a","embedding":[1,2]})"), HasSubstr("two of embedding, image"));
  EXPECT_THAT(fault(R"({"text":" \n"})"), HasSubstr("its text is empty"));
  EXPECT_THAT(fault(R"({"text":")" + std::string(1 << 21, 'a') + "\"}"),
              HasSubstr("at most 1048576"));
}

TEST(Samples, EveryTruncationOfARequestIsRefused) {
  const std::string whole =
      R"({"samples": [{"embedding": [1, 2], "key": "a\"b", "attributes": {"c": "d"}}]})";
  Samples out;
  ASSERT_FALSE(read_json_samples(whole, 2, {}, out));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Samples cut;
    EXPECT_TRUE(read_json_samples(std::string_view(whole).substr(0, size), 2, {}, cut)) << size;
  }
}

TEST(Samples, DamagedBytesNeverGiveRowsOfAnotherLength) {
  const std::string whole = R"({"samples":[{"embedding":[1,2],"key":"k","id":"i","picture":""}]})";
  core::Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (int i = 0; i < 3; ++i)
      text[random.below(text.size())] = static_cast<char>(random.next64());
    for (const auto read : {&read_json_samples, &read_line_samples}) {
      Samples out;
      if (read(text, 2, {}, out)) continue;
      EXPECT_EQ(out.embeddings.size(), out.rows * 2);
    }
  }
}

TEST(Samples, LinesAndArraysGiveTheSameRows) {
  Samples lines;
  ASSERT_FALSE(read_line_samples("{\"embedding\":[1,2]}\n{\"embedding\":[3,4]}\n", 2, {}, lines));
  EXPECT_EQ(lines.rows, 2u);
  const auto bad = read_line_samples("{\"embedding\":[1,2]}\n{\"embedding\":[3]}\n", 2, {}, lines);
  ASSERT_TRUE(bad);
  EXPECT_THAT(bad->error.message, HasSubstr("1 values, the model expects 2"));
}

TEST(Base64, GivesBytesBackAndRefusesAnythingElse) {
  EXPECT_EQ(from_base64("cGFjbw=="), "paco");
  EXPECT_EQ(from_base64("cGFjbyE="), "paco!");
  EXPECT_EQ(from_base64(""), "");
  for (const char* bad : {"cGFjbw=", "cGFjb===", "cG=jbw==", "c\xc3\xa4jb", "====="})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

TEST(Pictures, AreMeasuredByTheirHeader) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x10", 24);
  EXPECT_EQ(picture_type(png), "image/png");
  EXPECT_EQ(picture_pixels(png), 256u * 16u);
  const std::string jpeg = std::string(
      "\xff\xd8\xff\xe0\0\x04"
      "ab\xff\xc0\0\x11\x08\0\x10\0\x20\x03",
      18);
  EXPECT_EQ(picture_pixels(jpeg), 16u * 32u);
  for (std::size_t size = 0; size < 17; ++size) {
    EXPECT_FALSE(picture_pixels(std::string_view(png).substr(0, size)));
    EXPECT_FALSE(picture_pixels(std::string_view(jpeg).substr(0, size)));
  }
}

TEST(Tokens, AreFoundByTheirTextAlone) {
  const auto tokens =
      Tokens::parse("# who\nread wall 0123456789abcdef\noperate ann fedcba9876543210 5\n", "t");
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  ASSERT_NE(tokens->find("Bearer 0123456789abcdef"), nullptr);
  EXPECT_EQ(tokens->find("Bearer 0123456789abcdef")->role(), Role::read);
  EXPECT_EQ(tokens->find("Bearer fedcba9876543210")->name(), "ann");
  for (const char* wrong : {"", "Bearer ", "0123456789abcdef", "Bearer 0123456789abcde",
                            "bearer0123456789abcdef", "Bearer 0123456789abcdef "})
    EXPECT_EQ(tokens->find(wrong), nullptr) << wrong;
}

TEST(Tokens, LinesThatAreNoneAreRefusedByNumber) {
  for (const char* bad : {"read wall short", "king ann 0123456789abcdef", "read wall", "",
                          "read a 0123456789abcdef x", "read a 0123456789abcdef -1",
                          "read a 0123456789abcdef\nsend b 0123456789abcdef"}) {
    EXPECT_FALSE(Tokens::parse(bad, "t").ok()) << bad;
  }
  EXPECT_THAT(Tokens::parse("\nread wall short", "t").error().message, HasSubstr("line 2"));
}

TEST(Tokens, MayBeForSomeStreams) {
  const auto tokens = Tokens::parse(
      "read wall 0123456789abcdef streams=birds,moths 5\noperate ann fedcba9876543210\n", "t");
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  const auto wall = tokens->find("bearer 0123456789abcdef");
  ASSERT_NE(wall, nullptr);
  EXPECT_FALSE(wall->sees_all());
  EXPECT_TRUE(wall->sees("moths"));
  EXPECT_FALSE(wall->sees("bird"));
  EXPECT_TRUE(tokens->find("Bearer fedcba9876543210")->sees("anything"));
  for (const char* bad : {"streams=", "streams=a,", "streams=../a", "stream=a"})
    EXPECT_FALSE(Tokens::parse(std::string("read w 0123456789abcdef ") + bad, "t").ok()) << bad;
}

TEST(Logs, AreOneLineAnEventWhateverIsInIt) {
  std::string said;
  const auto out = [&](std::string_view line) { said += line; };
  const auto now = [] { return 1'700'000'000.25; };
  Log text(LogForm::text, LogLevel::info, out, now);
  text.write(LogLevel::warning, "request",
             {{"path", "/a b\n\"c\""}, {"who", ""}, {"status", 401ul}});
  text.write(LogLevel::debug, "request", {{"path", "/"}});
  EXPECT_EQ(said,
            "2023-11-14T22:13:20.250Z warning request path=\"/a b\\n\\\"c\\\"\" status=401\n");
  said.clear();
  Log json(LogForm::json, LogLevel::debug, out, now);
  json.write(LogLevel::debug, "request", {{"path", "/a\n\xff"}, {"seconds", 0.5}});
  EXPECT_EQ(said, R"({"time":"2023-11-14T22:13:20.250Z","level":"debug","event":"request",)"
                  "\"path\":\"/a\\n\xef\xbf\xbd\",\"seconds\":0.500000}\n");
}

TEST(Tokens, ARateLetsASecondsWorthThroughAndThenWaits) {
  User user("busy", Role::read, 4);
  const auto start = std::chrono::steady_clock::time_point(std::chrono::hours(1));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(user.wait(start)) << i;
  EXPECT_TRUE(user.wait(start));
  EXPECT_FALSE(user.wait(start + std::chrono::milliseconds(251)));
}

TEST(StreamNames, AreNeverPaths) {
  for (const char* good : {"birds", "a", "A.b-c_1", "_x"}) EXPECT_TRUE(is_stream_name(good));
  for (const char* bad : {"", ".", "..", ".a", "-a", "a/b", "a b", "a\nb", "\xc3\xa4", "a\\b"})
    EXPECT_FALSE(is_stream_name(bad)) << bad;
  EXPECT_FALSE(is_stream_name(std::string(65, 'a')));
}

TEST(Addresses, AreTakenApartAndBadEscapesRefused) {
  std::string path;
  Fields query;
  ASSERT_TRUE(split_target("/a%2fb/c?x=1&y=a+b%21&z", path, query));
  EXPECT_EQ(path, "/a/b/c");
  EXPECT_THAT(query, ElementsAre(std::pair("x", "1"), std::pair("y", "a b!"), std::pair("z", "")));
  for (const char* bad : {"", "a", "/%", "/%1", "/%zz", "/%00", "/a?b=%q1", "*"})
    EXPECT_FALSE(split_target(bad, path, query)) << bad;
}

TEST(Streams, OfMirrorHaveAMapSuggestionsAndNeighbours) {
  const testing::SyntheticData data = testing::make_data({.novel = 4, .stream = 200}, 5);
  const testing::TemporaryFolder folder;
  auto session = Session::create(
      folder / "s.journal", testing::calibrated(data.support_set(), {}, false), "mirror", {}, {});
  ASSERT_TRUE(session.ok()) << session.error().message;
  std::vector<Decision> decisions(data.stream.rows());
  ASSERT_TRUE(session->decide(data.stream, decisions).ok());
  const auto stream = Stream::make("s", std::move(session).value(), true);
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  const auto directions = (*stream)->directions();
  EXPECT_GT(directions->size(), 5u);  // those of known classes and more
  EXPECT_EQ(directions->events, data.stream.rows());
  EXPECT_EQ(insight::principal_map(*directions, 100).points.size(), directions->size());
  std::promise<Advice::Found> advice;
  (*stream)->advice().ask(directions->events,
                          [&](const Advice::Found& found) { advice.set_value(found); });
  EXPECT_FALSE(advice.get_future().get()->insight.suggestions.empty());
  const std::vector<float> unit = (*stream)->unit_of(3);
  ASSERT_EQ(unit.size(), directions->dimension);
  const auto near = insight::nearest_categories(*directions, unit, 2);
  ASSERT_EQ(near.size(), 2u);
  EXPECT_GT(near[0].cosine, near[1].cosine);
}

}  // namespace
}  // namespace paco::server
