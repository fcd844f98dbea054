// What the texts of a category's members have in common: class-based TF-IDF over words, with stop
// words found by how many texts and categories have them, so that no list of any language is
// needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "insight/member_index.hpp"
#include "journal/reader.hpp"
#include "paco/category.hpp"

namespace paco::insight {

// Words of categories, the most telling first; of categories without texts nothing.
using Keywords = std::map<CategoryId, std::vector<std::string>>;

// Small letters, without punctuation and numbers; of Chinese characters, which have no spaces, each
// two neighbours.
std::vector<std::string> words_of(std::string_view text);

// At most five for each category. A keyword is in two texts or more, and in a tenth of them.
Keywords keywords_of(const std::map<CategoryId, std::vector<std::string>>& texts);

// Of a stream: the attribute `text` of the newest members of every live category, 100 of each and
// 20,000 in all.
Result<Keywords> keywords_in(const MemoryView& view, const MemberIndex& members,
                             journal::JournalReader& journal);

// "refund · card · pending", the first three; empty if there are none.
std::string suggested_name(const Keywords& keywords, CategoryId id);

}  // namespace paco::insight
