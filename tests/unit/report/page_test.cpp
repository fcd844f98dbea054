// The page around title and data: neither can break out of its place, and all of it is there.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "synthetic_report.hpp"

namespace paco::report {
namespace {

TEST(RenderReport, SaysHowToGetThePageIfItWasNotBuilt) {
  if (!page_template().empty()) GTEST_SKIP() << "this build holds the page";
  const auto page = render_report(testing::synthetic_input(20, 4).fold());
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, ErrorCode::unsupported);
  EXPECT_NE(page.error().hint.find("npm"), std::string::npos);
}

// Title and data in their places, and nothing else.
constexpr std::string_view kPage = "<title>@PACO_TITLE@</title><script>@PACO_DATA@</script>";

TEST(FillPage, PutsTitleAndDataInTheirPlaces) {
  EXPECT_EQ(fill_page(kPage, "birds & fish", {{"a", 1}}),
            R"(<title>birds &amp; fish</title><script>{"a":1}</script>)");
}

TEST(FillPage, NeitherTitleNorDataCanEndTheirElement) {
  const std::string page =
      fill_page(kPage, "</title><script>alert(1)</script>", {{"name", "</script><!--"}});
  EXPECT_EQ(page,
            "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>"
            R"(<script>{"name":"\u003c/script>\u003c!--"}</script>)");
}

TEST(FillPage, APlaceInTheDataIsNotFilledAgain) {
  EXPECT_EQ(fill_page(kPage, "@PACO_DATA@", {{"a", "@PACO_TITLE@"}}),
            R"(<title>@PACO_DATA@</title><script>{"a":"@PACO_TITLE@"}</script>)");
}

TEST(FillPage, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(fill_page(kPage, "", {{"id", "caf\xe9"}}),
            "<title></title><script>{\"id\":\"caf\xef\xbf\xbd\"}</script>");
}

TEST(PageTemplate, LoadsNothingFromTheNetwork) {
  if (page_template().empty()) GTEST_SKIP() << "this build holds no page";
  const std::string_view page = page_template();
  EXPECT_NE(page.find("default-src 'none'"), std::string_view::npos);
  for (const char* part : {"src=\"http", "href=\"http", "url(http", "@import"}) {
    EXPECT_EQ(page.find(part), std::string_view::npos) << part;
  }
}

TEST(RenderReport, FillsThePageWithItsDocument) {
  if (page_template().empty()) GTEST_SKIP() << "this build holds no page";
  testing::MadeInput input = testing::synthetic_input(20, 4);
  input.made[3].sample = "caf\xe9";
  input.title = "<b>";
  const auto page = render_report(input.fold());
  const auto document = report_document(input.fold());
  ASSERT_TRUE(page.ok() && document.ok());
  EXPECT_EQ(*page, fill_page(page_template(), "<b>", *document));
  EXPECT_NE(page->find("caf\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace paco::report
