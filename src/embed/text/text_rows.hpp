// Texts from files: one sample a row, perhaps with the name of its class.
//
//   .csv, .tsv  a header names the columns; quoted fields may hold line breaks
//   .jsonl      one object a line, or one JSON text a line
//   .txt        one text a line, blank lines passed over
//
// A row that is not a valid text (only blanks, invalid UTF-8 or zero bytes, more than a mebibyte)
// is listed separately with its number and the reason; the others are used unchanged, in any
// script. Rows count from 0 without the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"
#include "paco/result.hpp"

namespace paco::embed {

constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

struct TextColumns {
  std::string text;   // empty: "text", or the only column
  std::string label;  // empty: none
};

struct SkippedText {
  std::size_t row;
  Error error;
};

struct TextRows {
  std::vector<std::string> texts, labels;  // labels: empty, or one for each text; "": no class
  std::vector<std::size_t> rows;           // of each text in the file
  std::vector<SkippedText> skipped;
};

Result<TextRows> read_text_rows(const std::string& path, const TextColumns& columns);

// The same from a stream; the end of `name` says which kind it is.
Result<TextRows> parse_text_rows(io::ByteStream stream, const std::string& name,
                                 const TextColumns& columns);

// Why a text from outside cannot be embedded; "" if it can.
std::string text_fault(std::string_view text);

}  // namespace paco::embed
