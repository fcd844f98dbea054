// The writers. `shown` makes the text of a cell once, so LaTeX, Markdown, text and HTML agree to
// the last digit.
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/csv.hpp"
#include "report/page.hpp"

namespace paco::report {
namespace {

constexpr std::string_view kUndefined = "-";
// A LaTeX table with more rows is a longtable over several pages.
constexpr std::size_t kLongestFloat = 40;

bool defined(const Cell& value) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  const double* number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

bool right_aligned(const Column& column) { return column.show != Show::text; }

// A cell as formatted text.
std::string shown(const Cell& value, const Column& column) {
  if (!defined(value)) return std::string(kUndefined);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  const double number = std::get<double>(value);
  if (column.show == Show::share) return fmt::format("{:.{}f}", 100 * number, column.digits);
  if (column.show == Show::number) return fmt::format("{:.{}f}", number, column.digits);
  return fmt::format("{}", number);
}

// Counts characters, not bytes: headings and class names can be UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(std::string text, std::size_t widest) {
  if (width_of(text) <= widest || widest < 4) return text;
  std::size_t characters = 0, end = 0;
  while (end < text.size()) {
    if ((text[end] & 0xC0) != 0x80 && ++characters > widest - 3) break;
    ++end;
  }
  return text.substr(0, end) + "...";
}

std::string csv_cell(const Cell& value) {
  if (!defined(value)) return "";
  if (const auto* text = std::get_if<std::string>(&value)) return io::csv_field(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return fmt::format("{}", std::get<double>(value));  // shortest digits that read back exactly
}

std::string latex_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        escaped += c;
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '\n':
        escaped += ' ';
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string markdown_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

Cell cell(std::optional<double> value) { return value ? Cell(*value) : Cell(); }
Cell cell(std::optional<std::int64_t> value) { return value ? Cell(*value) : Cell(); }

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns.size());
  rows.push_back(std::move(row));
}

nlohmann::ordered_json table_json(const Table& table) {
  auto array = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t k = 0; k < row.size(); ++k) {
      nlohmann::ordered_json& value = object[table.columns[k].key];
      if (!defined(row[k])) continue;
      if (const auto* text = std::get_if<std::string>(&row[k])) value = *text;
      if (const auto* integer = std::get_if<std::int64_t>(&row[k])) value = *integer;
      if (const auto* number = std::get_if<double>(&row[k])) value = *number;
    }
    array.push_back(std::move(object));
  }
  return array;
}

std::string table_csv(const Table& table) {
  std::string csv;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (k > 0) csv += ',';
    csv += io::csv_field(table.columns[k].key);
  }
  csv += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) csv += ',';
      csv += csv_cell(row[k]);
    }
    csv += '\n';
  }
  return csv;
}

std::string table_latex(const Table& table) {
  std::string alignment, headings, body;
  for (const Column& column : table.columns) {
    alignment += right_aligned(column) ? 'r' : 'l';
    if (!headings.empty()) headings += " & ";
    headings += latex_escaped(column.heading);
  }
  for (const auto& row : table.rows) {
    body += "  ";
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) body += " & ";
      body += latex_escaped(shown(row[k], table.columns[k]));
    }
    body += " \\\\\n";
  }
  const std::string caption = latex_escaped(table.title);
  if (table.rows.size() > kLongestFloat) {
    return fmt::format(
        "% needs \\usepackage{{booktabs}} and \\usepackage{{longtable}}\n"
        "\\begin{{longtable}}{{{}}}\n  \\caption{{{}}}\\label{{tab:{}}} \\\\\n"
        "  \\toprule\n  {} \\\\\n  \\midrule\n  \\endhead\n  \\bottomrule\n  \\endfoot\n{}"
        "\\end{{longtable}}\n",
        alignment, caption, table.key, headings, body);
  }
  return fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n"
      "\\label{{tab:{}}}\n\\begin{{tabular}}{{{}}}\n  \\toprule\n  {} \\\\\n  \\midrule\n{}"
      "  \\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n",
      caption, table.key, alignment, headings, body);
}

std::string table_markdown(const Table& table) {
  std::string markdown = fmt::format("**{}**\n\n|", markdown_escaped(table.title));
  std::string rule = "|";
  for (const Column& column : table.columns) {
    markdown += fmt::format(" {} |", markdown_escaped(column.heading));
    rule += right_aligned(column) ? " ---: |" : " --- |";
  }
  markdown += fmt::format("\n{}\n", rule);
  for (const auto& row : table.rows) {
    markdown += "|";
    for (std::size_t k = 0; k < row.size(); ++k) {
      markdown += fmt::format(" {} |", markdown_escaped(shown(row[k], table.columns[k])));
    }
    markdown += "\n";
  }
  return markdown;
}

std::string table_text(const Table& table, std::size_t widest) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    lines[0].push_back(column.heading);
    widths.push_back(width_of(column.heading));
  }
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (std::size_t k = 0; k < row.size(); ++k) {
      line.push_back(cut(shown(row[k], table.columns[k]), widest));
      widths[k] = std::max(widths[k], width_of(line[k]));
    }
  }
  std::string text = table.title + "\n";
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string line;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      const std::string blanks(widths[k] - width_of(lines[l][k]), ' ');
      line += "  ";
      line += right_aligned(table.columns[k]) ? blanks + lines[l][k] : lines[l][k] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (l > 0) continue;
    std::string rule;
    for (const std::size_t width : widths) rule += fmt::format("  {:-<{}}", "", width);
    text += rule + '\n';
  }
  return text;
}

std::string table_html(const Table& table) {
  const auto row_of = [&](const char* element, const auto& text_of) {
    std::string row = "<tr>";
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const bool number = right_aligned(table.columns[k]);
      row += fmt::format("<{0}{1}>{2}</{0}>", element, number ? " class=\"number\"" : "",
                         html_text(text_of(k)));
    }
    return row + "</tr>\n";
  };
  std::string html = fmt::format("<table><caption>{}</caption>\n<thead>", html_text(table.title));
  html += row_of("th", [&](std::size_t k) { return table.columns[k].heading; });
  html += "</thead><tbody>\n";
  for (const auto& row : table.rows)
    html += row_of("td", [&](std::size_t k) { return shown(row[k], table.columns[k]); });
  return html + "</tbody></table>\n";
}

std::string write_tables(const std::vector<Table>& tables, TableFormat format) {
  if (format == TableFormat::json) {
    auto object = nlohmann::ordered_json::object();
    for (const Table& table : tables) object[table.key] = table_json(table);
    return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  std::string all;
  for (const Table& table : tables) {
    if (!all.empty()) all += '\n';
    switch (format) {
      case TableFormat::json:
        break;
      case TableFormat::csv:
        all += fmt::format("# {}: {}\n{}", table.key, table.title, table_csv(table));
        break;
      case TableFormat::latex:
        all += table_latex(table);
        break;
      case TableFormat::markdown:
        all += table_markdown(table);
        break;
      case TableFormat::text:
        all += table_text(table);
        break;
    }
  }
  return all;
}

}  // namespace paco::report
