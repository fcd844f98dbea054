#include "shared/package_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "core/random.hpp"

namespace paco {
namespace {

constexpr std::size_t kKnownSections = 12, kNovelSections = 12;
constexpr const char* kList = "apt-cache dumpavail";

}  // namespace

std::vector<PackageText> parse_package_texts(std::string_view text) {
  std::vector<PackageText> out;
  std::set<std::string> seen;
  PackageText one;
  const auto take = [&] {
    if (!one.section.empty() && !one.text.empty() && seen.insert(one.text).second)
      out.push_back(std::move(one));
    one = {};
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto value = [&](std::string_view name) {
      return line.starts_with(name) ? line.substr(name.size()) : std::string_view();
    };
    if (line.empty()) take();
    if (const auto section = value("Section: "); !section.empty())
      one.section = section.substr(section.rfind('/') + 1);
    if (const auto words = value("Description: "); !words.empty()) one.text = words;
    if (const auto words = value("Description-en: "); !words.empty()) one.text = words;
  }
  take();
  return out;
}

Result<std::vector<PackageText>> read_package_texts() {
  const std::unique_ptr<FILE, int (*)(FILE*)> list(::popen(kList, "r"), ::pclose);
  std::string text;
  char buffer[1 << 16];
  while (list != nullptr) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, list.get());
    if (count == 0) break;
    text.append(buffer, count);
  }
  std::vector<PackageText> out = parse_package_texts(text);
  if (!out.empty()) return out;
  return Error{ErrorCode::not_found, fmt::format("'{}' lists no packages", kList),
               "this demonstration needs the package lists of Debian: run 'apt-get update'"};
}

Result<PackageSplit> split_packages(const std::vector<PackageText>& texts, std::size_t each,
                                    std::size_t stream, std::uint64_t seed) {
  std::map<std::string, std::size_t> counts;
  for (const PackageText& text : texts) ++counts[text.section];
  std::vector<std::pair<std::string, std::size_t>> sections(counts.begin(), counts.end());
  std::stable_sort(sections.begin(), sections.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kSections = kKnownSections + kNovelSections;
  if (sections.size() < kSections || sections[kSections - 1].second < 2 * each)
    return Error{ErrorCode::bad_value,
                 fmt::format("{} sections of packages, and {} of {} packages are needed",
                             sections.size(), kSections, 2 * each),
                 "run 'apt-get update' with Debian's main section"};
  PackageSplit out;
  out.known = kKnownSections;
  std::map<std::string, std::int64_t> numbers;
  for (std::size_t i = 0; i < kSections; ++i) {
    numbers[sections[i].first] = static_cast<std::int64_t>(i);
    out.classes.push_back(sections[i].first);
  }
  std::vector<std::size_t> taken(kKnownSections, 0);
  for (const std::size_t i : core::Random(seed).permutation(texts.size())) {
    const auto found = numbers.find(texts[i].section);
    if (found == numbers.end()) continue;
    const auto number = static_cast<std::size_t>(found->second);
    if (number < kKnownSections && taken[number] < each) {
      ++taken[number];
      out.support.push_back(texts[i].text);
      out.support_labels.push_back(found->second);
    } else if (out.stream.size() < stream) {
      out.stream.push_back(texts[i].text);
      out.stream_labels.push_back(found->second);
    }
  }
  return out;
}

}  // namespace paco
