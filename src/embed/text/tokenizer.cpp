#include "embed/text/tokenizer.hpp"

#include <algorithm>

#include "embed/text/unicode.hpp"

namespace paco::embed {

// Takes the points of a text one by one and hands on whole words.
struct Tokenizer::Collector {
  const Tokenizer& tokenizer;
  std::vector<std::int32_t>& ids;
  std::string word;
  std::size_t letters = 0;

  void end_word() {
    if (letters > tokenizer.options_.most_letters)
      ids.push_back(tokenizer.unknown_);
    else if (letters > 0)
      tokenizer.add_word(word, ids);
    word.clear();
    letters = 0;
  }
  void add_letter(char32_t point) {
    if (++letters <= tokenizer.options_.most_letters) append_point(point, word);
  }
  void add(char32_t point) {
    if (is_space(point)) return end_word();
    const bool alone = is_punctuation(point);
    if (alone) end_word();
    add_letter(point);
    if (alone) end_word();
  }
  // A point of the text, which may become several or none.
  void take(char32_t point) {
    const TokenizerOptions& options = tokenizer.options_;
    if (options.clean && (point == 0 || point == kReplacement || is_control(point))) return;
    const bool alone = options.split_chinese && is_ideograph(point);
    if (alone) end_word();
    char32_t parts[kMostParts] = {point};
    const std::size_t count = options.strip_accents ? decompose(point, parts) : 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (options.strip_accents && is_mark(parts[i])) continue;
      add(options.lower_case ? small_letter(parts[i]) : parts[i]);
    }
    if (alone) end_word();
  }
};

// Takes the longest piece that the word starts with, then the longest that continues from there,
// and so on. If a word cannot be split into pieces completely, the whole word is unknown.
void Tokenizer::add_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  for (std::size_t begin = 0; begin < word.size();) {
    const Pieces& pieces = begin == 0 ? first_ : further_;
    std::size_t length = std::min(word.size() - begin, longest_);
    auto found = pieces.end();
    for (; length > 0; --length) {
      const bool inside = begin + length < word.size() &&
                          (static_cast<unsigned char>(word[begin + length]) & 0xc0) == 0x80;
      if (inside) continue;  // not between two letters
      found = pieces.find(word.substr(begin, length));
      if (found != pieces.end()) break;
    }
    if (found == pieces.end()) {
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    ids.push_back(found->second);
    begin += length;
  }
}

Tokenizer::Tokens Tokenizer::encode(std::string_view text, std::size_t most) const {
  Tokens tokens{before_, false};
  const std::size_t room = std::max(most, surrounding()) - after_.size();
  Collector collector{*this, tokens.ids, {}, 0};
  for (std::size_t at = 0; at < text.size() && tokens.ids.size() <= room;)
    collector.take(next_point(text, at));
  collector.end_word();
  tokens.cut = tokens.ids.size() > room;
  if (tokens.cut) tokens.ids.resize(room);
  tokens.ids.insert(tokens.ids.end(), after_.begin(), after_.end());
  return tokens;
}

}  // namespace paco::embed
