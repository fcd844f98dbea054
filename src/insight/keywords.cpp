#include "insight/keywords.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <unordered_map>

#include "core/try.hpp"
#include "embed/text/unicode.hpp"

namespace paco::insight {
namespace {

constexpr std::size_t kKeywords = 5, kInName = 3;
constexpr std::size_t kLongestWord = 40;   // bytes
constexpr std::uint64_t kLeastTexts = 2;   // that have a keyword
constexpr double kLeastShare = 0.1;        // of a category's texts
constexpr double kStopShare = 0.1;         // of all texts: a stop word is in a larger share ...
constexpr double kStopCategories = 0.5;    // ... and in a larger share of categories
constexpr std::size_t kFewCategories = 4;  // too few categories to find stop words
constexpr std::size_t kOfCategory = 100;   // newest texts that are read
constexpr std::size_t kOfStream = 20'000;
constexpr std::size_t kTried = 200;  // members without any text: then the stream has no texts

struct Word {
  std::uint64_t texts = 0, categories = 0;  // that have it
};

// Its words, without repetitions.
std::set<std::string> distinct_words(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  return {std::make_move_iterator(words.begin()), std::make_move_iterator(words.end())};
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  std::size_t points = 0;
  bool has_letter = false;
  const auto end_word = [&] {
    if (points > 1 && has_letter && word.size() <= kLongestWord) out.push_back(word);
    word.clear();
    points = 0;
    has_letter = false;
  };
  char32_t ideograph = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t point = embed::next_point(text, at);
    if (embed::is_ideograph(point)) {
      end_word();
      if (ideograph != 0) {
        std::string two;
        embed::append_point(ideograph, two);
        embed::append_point(point, two);
        out.push_back(std::move(two));
      }
      ideograph = point;
      continue;
    }
    ideograph = 0;
    if (embed::is_space(point) || embed::is_control(point) || embed::is_punctuation(point) ||
        point == embed::kReplacement) {
      end_word();
      continue;
    }
    has_letter = has_letter || point < U'0' || point > U'9';
    embed::append_point(embed::small_letter(point), word);
    ++points;
  }
  end_word();
  return out;
}

Keywords keywords_of(const std::map<CategoryId, std::vector<std::string>>& texts) {
  std::unordered_map<std::string, Word> all;
  std::map<CategoryId, std::unordered_map<std::string, std::uint64_t>> by_category;
  std::uint64_t count = 0;
  for (const auto& [id, list] : texts) {
    auto& own = by_category[id];
    for (const std::string& text : list) {
      for (const std::string& word : distinct_words(text)) ++own[word];
    }
    for (const auto& [word, having] : own) {
      Word& one = all[word];
      one.texts += having;
      ++one.categories;
    }
    count += list.size();
  }
  const auto categories = static_cast<double>(texts.size());
  const auto is_stop_word = [&](const Word& word) {
    return texts.size() >= kFewCategories &&
           static_cast<double>(word.texts) > kStopShare * static_cast<double>(count) &&
           static_cast<double>(word.categories) > kStopCategories * categories;
  };
  const double usual = static_cast<double>(count) / categories;  // texts of a category
  Keywords out;
  for (const auto& [id, own] : by_category) {
    const auto size = static_cast<double>(texts.at(id).size());
    std::vector<std::pair<double, std::string>> ranked;
    for (const auto& [word, having] : own) {
      const Word& everywhere = all.at(word);
      const double share = static_cast<double>(having) / size;
      if (having < kLeastTexts || share < kLeastShare || is_stop_word(everywhere)) continue;
      ranked.emplace_back(-share * std::log(1 + usual / static_cast<double>(everywhere.texts)),
                          word);
    }
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() > kKeywords) ranked.resize(kKeywords);
    for (auto& [weight, word] : ranked) out[id].push_back(std::move(word));
  }
  return out;
}

Result<Keywords> keywords_in(const MemoryView& view, const MemberIndex& members,
                             journal::JournalReader& journal) {
  std::map<CategoryId, std::vector<std::string>> texts;
  std::size_t live = 0;
  for (CategoryId id = 0; id < view.categories.next(); ++id) live += view.categories.is_live(id);
  const std::size_t most =
      std::clamp<std::size_t>(kOfStream / std::max<std::size_t>(live, 1), 1, kOfCategory);
  std::size_t tried = 0;
  for (CategoryId id = 0; id < view.categories.next(); ++id) {
    if (!view.categories.is_live(id)) continue;
    for (const std::uint64_t sequence :
         members.page(view.categories[id].prototypes, ~std::uint64_t{0}, most, true)) {
      PACO_ASSIGN(const journal::Extras extras, journal.extras(sequence, false));
      if (texts.empty() && ++tried > kTried) return Keywords{};
      if (extras.attributes.empty()) continue;
      const auto json = nlohmann::json::parse(extras.attributes, nullptr, false);
      if (!json.is_object()) continue;
      const auto text = json.find("text");
      if (text != json.end() && text->is_string()) texts[id].push_back(text->get<std::string>());
    }
  }
  return texts.empty() ? Keywords{} : keywords_of(texts);
}

std::string suggested_name(const Keywords& keywords, CategoryId id) {
  const auto found = keywords.find(id);
  if (found == keywords.end()) return "";
  const std::span<const std::string> words(found->second);
  return fmt::format("{}", fmt::join(words.first(std::min(kInName, words.size())), " · "));
}

}  // namespace paco::insight
