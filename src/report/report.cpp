// Puts the data into the page.
#include "report/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

namespace paco::report {

namespace {

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JSON may hold "<" only inside strings, where \u003c says the same; so no name of a class or
// sample can end the script element that carries it.
std::string script_json(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

Result<std::string> render_report(const ReportInput& input, const ReportOptions& options,
                                  std::stop_token stop) {
  const std::string_view page = page_template();
  if (page.empty()) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("this program holds no report page: {}", page_missing_reason()),
        "install nodejs (18 or newer) and npm, then configure with -DPACO_WEB=ON and build again"};
  }
  PACO_ASSIGN(const Json document, report_document(input, options, stop));
  const std::size_t title = page.find(kTitlePlace);
  const std::size_t data = page.find(kDataPlace);
  assert(title != std::string_view::npos && data != std::string_view::npos && title < data);
  std::string result{page.substr(0, title)};
  result += html_text(input.title);
  result += page.substr(title + kTitlePlace.size(), data - title - kTitlePlace.size());
  result += script_json(document);
  result += page.substr(data + kDataPlace.size());
  return result;
}

}  // namespace paco::report
