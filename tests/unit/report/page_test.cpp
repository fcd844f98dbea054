// The page around the data: nothing in the data can break out of it.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include "report/report.hpp"
#include "synthetic_report.hpp"

namespace paco::report {
namespace {

TEST(RenderReport, SaysHowToGetThePageWhereItWasNotBuilt) {
  if (!page_template().empty()) GTEST_SKIP() << "this build holds the page";
  const auto page = render_report(testing::synthetic_input(20, 4).fold());
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, ErrorCode::unsupported);
  EXPECT_NE(page.error().hint.find("npm"), std::string::npos);
}

TEST(RenderReport, NamesCannotEndTheDataOrTheTitle) {
  if (page_template().empty()) GTEST_SKIP() << "this build holds no page";
  testing::MadeInput input = testing::synthetic_input(20, 4);
  const auto plain = render_report(input.fold());
  input.title = "</title><script>alert(1)</script>";
  for (ReportSample& sample : input.made) sample.name = "</script><script>alert(2)</script><!--";
  const auto page = render_report(input.fold());
  ASSERT_TRUE(plain.ok() && page.ok());
  const auto count = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  for (const char* part : {"<script", "</script", "</title", "<!--"}) {
    EXPECT_EQ(count(*page, part), count(*plain, part)) << part;
  }
}

TEST(RenderReport, LoadsNothingFromTheNetwork) {
  if (page_template().empty()) GTEST_SKIP() << "this build holds no page";
  const auto page = render_report(testing::synthetic_input(20, 4).fold());
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("default-src 'none'"), std::string::npos);
  for (const char* part : {"src=\"http", "href=\"http", "url(http", "@import"}) {
    EXPECT_EQ(page->find(part), std::string::npos) << part;
  }
}

TEST(RenderReport, TextThatIsNotUtf8StillMakesAPage) {
  if (page_template().empty()) GTEST_SKIP() << "this build holds no page";
  testing::MadeInput input = testing::synthetic_input(20, 4);
  input.made[3].id = "caf\xe9";
  EXPECT_TRUE(render_report(input.fold()).ok());
}

}  // namespace
}  // namespace paco::report
