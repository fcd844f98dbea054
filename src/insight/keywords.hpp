// The words that the texts of a category's members have in common: class-based TF-IDF. Stop words
// are found by the number of texts and categories that contain them, so no word list for any
// language is needed.
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

// Words of categories, the most characteristic first; none for categories without texts.
using Keywords = std::map<CategoryId, std::vector<std::string>>;

// Lower case, without punctuation and numbers. For Chinese characters, which are written without
// spaces, every two neighbours are a word.
std::vector<std::string> words_of(std::string_view text);

// At most five for each category. A keyword is in two texts or more, and in a tenth of them.
Keywords keywords_of(const std::map<CategoryId, std::vector<std::string>>& texts);

// For a stream: the attribute `text` of the newest members of every live category, 100 of each and
// 20,000 in total.
Result<Keywords> keywords_in(const MemoryView& view, const MemberIndex& members,
                             journal::JournalReader& journal);

// "refund · card · pending", the first three; empty if there are none.
std::string suggested_name(const Keywords& keywords, CategoryId id);

}  // namespace paco::insight
