// Puts a title and data into the built page.
#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "report/page.hpp"
#include "report/table.hpp"

namespace paco::report {
namespace {

using Json = nlohmann::ordered_json;

// In JSON, "<" occurs only inside strings, where \u003c means the same. So no name of a class or
// sample can end the script element that contains the JSON.
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

Json cell_json(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return Json();
        } else {
          return Json(value);
        }
      },
      cell);
}

}  // namespace

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
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string fill_page(std::string_view page, std::string_view title, const Json& data) {
  const std::size_t title_at = page.find(kTitlePlace);
  const std::size_t data_at = page.find(kDataPlace);
  assert(title_at != std::string_view::npos && data_at != std::string_view::npos &&
         title_at < data_at);
  std::string result{page.substr(0, title_at)};
  result += html_text(title);
  const std::size_t after = title_at + kTitlePlace.size();
  result += page.substr(after, data_at - after);
  result += script_json(data);
  result += page.substr(data_at + kDataPlace.size());
  return result;
}

Result<std::string> page_with(std::string_view title, const Json& data) {
  if (!page_template().empty()) return fill_page(page_template(), title, data);
  return Error{
      ErrorCode::unsupported,
      fmt::format("this program holds no page for reports and studies: {}", page_missing_reason()),
      "install nodejs (18 or newer) and npm, then configure with -DPACO_WEB=ON and build again"};
}

Json page_table(const Table& table) {
  static constexpr const char* kShow[] = {"text", "integer", "share", "number"};
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"key", column.key},
                       {"heading", column.heading},
                       {"show", kShow[static_cast<int>(column.show)]},
                       {"digits", column.digits}});
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row) cells.push_back(cell_json(cell));
    rows.push_back(std::move(cells));
  }
  return {{"key", table.key},
          {"title", table.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace paco::report
