// The built page of reports and studies (web/src/document), embedded at build time: one HTML text
// with places for a title and for the data that it draws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::report {

struct Table;  // report/table.hpp

// Empty if the program was built without the page.
std::string_view page_template();
// The reason why page_template() is empty, as text for the user; empty if there is a page.
std::string_view page_missing_reason();

// Escapes the characters of a text that have a meaning in HTML.
std::string html_text(std::string_view text);

// The places in the template: an HTML text, and the text of a JSON script element.
inline constexpr std::string_view kTitlePlace = "@PACO_TITLE@";
inline constexpr std::string_view kDataPlace = "@PACO_DATA@";

// Puts title and data in their places in a template. Neither can end the element that contains it.
// Bytes that are not UTF-8 are replaced.
std::string fill_page(std::string_view page, std::string_view title,
                      const nlohmann::ordered_json& data);

// The built page, filled. Fails if the program was built without it.
Result<std::string> page_with(std::string_view title, const nlohmann::ordered_json& data);

// A table as the page draws it: columns with their kind, rows of bare values.
nlohmann::ordered_json page_table(const Table& table);

}  // namespace paco::report
