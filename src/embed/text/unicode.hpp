// The Unicode functions that a tokenizer needs: the code points of a text, their kinds, small
// letters and decompositions. A thin layer over utf8proc, which has the tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace paco::embed {

constexpr char32_t kReplacement = 0xfffd;  // stands for bytes that are no valid UTF-8

// Returns the code point at `at` and moves `at` after it. If there is no valid one, it returns
// kReplacement and moves `at` by one byte.
char32_t next_point(std::string_view text, std::size_t& at);
void append_point(char32_t point, std::string& out);

// The place of the first byte that belongs to no valid point, if there is one.
std::optional<std::size_t> invalid_utf8(std::string_view text);

bool is_space(char32_t point);    // white space of any script, line breaks among it
bool is_control(char32_t point);  // control, format and private characters; no line break or tab
bool is_punctuation(char32_t point);  // of any script, and every sign of ASCII
bool is_mark(char32_t point);         // an accent that takes no room
bool is_ideograph(char32_t point);    // Chinese characters, which are words by themselves

// The canonical decomposition of a code point; the code point itself if it has none. At most
// kMostParts.
constexpr std::size_t kMostParts = 8;
std::size_t decompose(char32_t point, char32_t (&parts)[kMostParts]);

// One point as a small letter. The one letter that becomes two, the I with a dot (U+0130), loses
// the dot here: it becomes a plain i.
char32_t small_letter(char32_t point);

}  // namespace paco::embed
