#include "study/paper_figures.hpp"

#include <algorithm>
#include <charconv>

#include "io/literature_sets.hpp"

namespace paco::study {

// Generated from paper_figures.csv by CMakeLists.txt.
extern const char* const kPaperFiguresCsv;

namespace {

double number_in(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> figures = [] {
    std::vector<PaperFigure> list;
    for (const std::string_view line : split_at(kPaperFiguresCsv, '\n')) {
      const std::vector<std::string_view> fields = split_at(line, ',');
      if (fields.size() != 7 || fields[0] == "table") continue;
      PaperFigure figure{static_cast<int>(number_in(fields[0])),
                         std::string(fields[1]),
                         std::string(fields[2]),
                         std::string(fields[3]),
                         std::string(fields[4]),
                         number_in(fields[5]),
                         std::nullopt};
      if (!fields[6].empty()) figure.deviation = number_in(fields[6]);
      list.push_back(std::move(figure));
    }
    return list;
  }();
  return figures;
}

std::string paper_set(std::string_view name) {
  std::string_view best;
  for (const io::LiteratureSet& set : io::literature_sets()) {
    if (set.name != "fashion-mnist" && name.starts_with(set.name) && set.name.size() > best.size())
      best = set.name;
  }
  return std::string(best);
}

std::string paper_method(std::string_view label) {
  constexpr std::string_view kHead = "-head";
  std::string name(label);
  if (const std::size_t at = name.find(kHead); at != name.npos) name.erase(at, kHead.size());
  return name;
}

std::optional<double> paper_accuracy(std::string_view set_name, std::string_view method) {
  const std::string set = paper_set(set_name);
  for (const PaperFigure& figure : paper_figures()) {
    if (figure.data == set && figure.method == paper_method(method) &&
        figure.protocol == "strict" && figure.measure == "all")
      return figure.value;
  }
  return std::nullopt;
}

}  // namespace paco::study
