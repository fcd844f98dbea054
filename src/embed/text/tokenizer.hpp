// Text to numbers of pieces of words, as BERT's WordPiece does it: cleaned, in small letters and
// without accents where the vocabulary wants it so, cut at white space and punctuation, every word
// then into the longest pieces that the vocabulary has.
//
// Read-only after construction; any number of threads may use one. A text is read only until the
// requested number of tokens is reached, so a long text costs no more than a short one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "paco/result.hpp"

namespace paco::embed {

struct TokenizerOptions {
  bool clean = true;               // without control characters
  bool split_chinese = true;       // every Chinese character is a word
  bool lower_case = true;          // small letters
  bool strip_accents = true;       // letters without their accents
  std::size_t most_letters = 100;  // of a word; longer ones are unknown
};

class Tokenizer {
 public:
  // The tokenizer of a folder in the Hugging Face layout: tokenizer.json, or vocab.txt and perhaps
  // tokenizer_config.json.
  static Result<Tokenizer> open(const std::string& folder);
  // The same from text in memory; `name` stands for the file in errors. The vocabulary has one
  // piece on each line, its number being that of the line, from 0.
  static Result<Tokenizer> from_json(std::string_view text, const std::string& name);
  static Result<Tokenizer> from_vocabulary(std::string_view text, const TokenizerOptions& options,
                                           const std::string& name);

  // The numbers of the text's pieces between those that stand at the beginning and the end
  // ([CLS], [SEP]), `most` in all; what does not fit is left out from behind. Words in the text
  // that look like special pieces are plain words.
  struct Tokens {
    std::vector<std::int32_t> ids;
    bool cut = false;  // there was more
  };
  Tokens encode(std::string_view text, std::size_t most) const;

  std::size_t size() const { return size_; }  // one more than the largest number
  std::size_t surrounding() const { return before_.size() + after_.size(); }
  const TokenizerOptions& options() const { return options_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Pieces = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;
  struct Collector;

  void add_piece(std::string_view piece, std::int32_t id);
  Result<std::int32_t> id_of(const std::string& piece, const std::string& name) const;
  void add_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  TokenizerOptions options_;
  std::string continuing_ = "##";  // stands before pieces that do not begin a word
  Pieces first_, further_;         // pieces that begin a word, and that go on in one
  std::size_t longest_ = 0;        // piece, in bytes
  std::size_t size_ = 0;
  std::int32_t unknown_ = 0;
  std::vector<std::int32_t> before_, after_;  // of every text
};

}  // namespace paco::embed
