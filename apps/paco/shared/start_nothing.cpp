#include "shared/start_nothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/random.hpp"
#include "core/try.hpp"
#include "insight/first_groups.hpp"
#include "insight/keywords.hpp"
#include "io/embedding_record.hpp"
#include "io/embedding_writer.hpp"
#include "io/embeddings.hpp"

namespace paco {
namespace {

constexpr std::size_t kDrawn = 1000;
constexpr std::size_t kFewestGroups = 3;  // needed to calibrate mirror

std::vector<std::string> names_of(const insight::FirstGroups& groups,
                                  const std::vector<const StartItem*>& items) {
  std::map<CategoryId, std::vector<std::string>> texts;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (groups.group[i] >= 0 && items[i]->path.empty())
      texts[groups.group[i]].push_back(items[i]->text);
  const insight::Keywords keywords =
      texts.empty() ? insight::Keywords() : insight::keywords_of(texts);
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < groups.count; ++i) {
    std::string name = insight::suggested_name(keywords, static_cast<CategoryId>(i));
    if (name.empty() || !taken.insert(name).second) name = fmt::format("group {}", i + 1);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<const StartItem*> draw_samples(const StartFolder& found) {
  std::vector<std::size_t> order = core::Random(0).permutation(found.items.size());
  order.resize(std::min(order.size(), kDrawn));
  std::sort(order.begin(), order.end());
  std::vector<const StartItem*> items;
  for (const std::size_t i : order) items.push_back(&found.items[i]);
  return items;
}

Result<std::vector<std::string>> group_samples(const std::string& file,
                                               const EmbeddingRecord& record,
                                               const std::vector<const StartItem*>& items) {
  PACO_ASSIGN(const math::Matrix<double> rows, io::read_embeddings(file));
  const insight::FirstGroups groups = insight::first_groups(rows);
  if (groups.count < kFewestGroups)
    return Error{ErrorCode::bad_value,
                 fmt::format("{} samples fall into {} groups of two or more that are alike, and {} "
                             "are needed to begin from nothing",
                             rows.rows(), groups.count, kFewestGroups),
                 "add more samples, or examples of at least three classes"};
  const std::vector<std::string> names = names_of(groups, items);
  PACO_ASSIGN(const auto writer, io::create_embeddings(file, rows.columns()));
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (groups.group[i] < 0) continue;
    PACO_TRY(writer->append(rows.view().slice(i, 1), {items[i]->key}));
    labels.push_back(names[static_cast<std::size_t>(groups.group[i])]);
  }
  PACO_TRY(io::write_embedding_record(record, file));
  PACO_TRY(writer->commit());
  return labels;
}

}  // namespace paco
