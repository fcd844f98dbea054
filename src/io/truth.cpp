// Reads a truth file into one label per decision: it reads the rows, turns words into class ids,
// and puts each label at its sample's place.
#include "io/truth.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/try.hpp"
#include "io/byte_stream.hpp"
#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/label_rows.hpp"
#include "io/label_words.hpp"
#include "io/labels.hpp"
#include "io/text_columns.hpp"

namespace paco::io {
namespace {

using Key = LabelRows::Key;

std::string_view key_name(Key key) { return key == Key::sample ? "sample" : "sequence"; }

constexpr std::string_view kTableHint =
    "give one label per decision (-1 where unknown), or a csv headed sequence,label or "
    "sample,label with some rows";

Error names_error(const std::string& name) {
  return Error{
      ErrorCode::bad_value,
      fmt::format("{}: the labels are names, and which of them are known classes is not known",
                  name),
      "give the names of the known classes with --classes names.txt or --model"};
}

bool is_unknown(const std::string& word) { return word.empty() || word == "-1"; }

// The meaning of the columns of a header; Key::row if no column names the sample of a label.
struct Layout {
  Key key = Key::row;
  std::size_t key_column = 0;
  std::size_t label_column = 0;
};

std::optional<Layout> layout_of(const std::vector<std::string_view>& header) {
  const auto label = find_label_column(header);
  if (!label) return std::nullopt;
  Layout layout{Key::row, 0, *label};
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (header[c] == "sample" && layout.key == Key::row) layout = {Key::sample, c, *label};
    if (header[c] == "sequence") layout = {Key::sequence, c, *label};
  }
  return layout;
}

}  // namespace

Result<LabelRows> read_csv_truth(ByteStream stream) {
  CsvReader reader(std::move(stream), false);
  std::vector<std::string_view> fields;
  std::optional<Layout> layout;
  std::size_t columns = 0;
  LabelRows rows;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) return rows;
    if (!layout) {
      columns = fields.size();
      layout = layout_of(fields);
      if (layout) {
        rows.key = layout->key;
        continue;
      }
      if (columns > 1) {
        return Error{ErrorCode::bad_format,
                     fmt::format("{}: line {} has {} fields and no header says which is the label",
                                 reader.name(), reader.line(), columns),
                     "put a header line on top, e.g. sequence,label or sample,label"};
      }
      layout = Layout{};
    }
    if (fields.size() != columns) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: line {} has {} fields, the first has {}", reader.name(),
                               reader.line(), fields.size(), columns),
                   "put names that contain the separator in quotes"};
    }
    if (rows.key != Key::row) rows.keys.emplace_back(fields[layout->key_column]);
    rows.words.emplace_back(fields[layout->label_column]);
  }
}

namespace {

std::string json_word(const nlohmann::json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

}  // namespace

Result<LabelRows> read_json_truth(ByteStream stream) {
  LabelRows rows;
  std::string text;
  for (std::uint64_t line = 1;; ++line) {
    PACO_ASSIGN(const bool more, stream.read_line(text));
    if (!more) return rows;
    if (is_blank_line(text)) continue;
    PACO_ASSIGN(const nlohmann::json value, parse_json_line(text, stream.name(), line));
    if (!value.is_object()) {
      if (value.is_array()) {
        for (const auto& item : value) rows.words.push_back(json_word(&item));
      } else {
        rows.words.push_back(json_word(&value));
      }
      continue;
    }
    const Key key = value.contains("sequence") ? Key::sequence
                    : value.contains("sample") ? Key::sample
                                               : Key::row;
    if (rows.words.empty()) rows.key = key;
    if (key != rows.key) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: line {} says in another way than the first whose label it is",
                               stream.name(), line),
                   "give every line the key \"sequence\", or every line the key \"sample\""};
    }
    if (key != Key::row) {
      rows.keys.push_back(json_word(&value[std::string(key_name(key))]));
    }
    rows.words.push_back(json_word(find_key(value, {"label", "class"})));
  }
}

namespace {

Result<void> check_ids(std::span<const std::int64_t> labels, const std::string& name) {
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] >= kNoTruth) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: label {} of row {} is no class id", name, labels[row], row),
                 "class ids start at 0; -1 means that the truth is unknown"};
  }
  return {};
}

Result<Truth> from_words(const LabelRows& rows, const std::string& name,
                         const DecidedStream& stream) {
  Truth truth;
  truth.class_names.assign(stream.class_names.begin(), stream.class_names.end());
  PACO_TRY(check_words(rows.words, "label", name));
  bool numbers = are_numbered(stream.class_names);
  for (const std::string& word : rows.words) {
    numbers = numbers && (is_unknown(word) || canonical_number(word).has_value());
  }
  if (numbers) {
    for (const std::string& word : rows.words) {
      truth.labels.push_back(is_unknown(word) ? kNoTruth : *canonical_number(word));
    }
    PACO_TRY(check_ids(truth.labels, name));
    return truth;
  }
  if (stream.class_names.empty()) return names_error(name);
  std::map<std::string, std::int64_t> ids;
  for (const std::string& known : stream.class_names) {
    ids.emplace(known, static_cast<std::int64_t>(ids.size()));
  }
  for (const std::string& word : std::set<std::string>(rows.words.begin(), rows.words.end())) {
    if (is_unknown(word)) continue;
    if (ids.emplace(word, static_cast<std::int64_t>(truth.class_names.size())).second) {
      truth.class_names.push_back(word);
    }
  }
  for (const std::string& word : rows.words) {
    truth.labels.push_back(is_unknown(word) ? kNoTruth : ids.at(word));
  }
  return truth;
}

// Finds the places in the stream of the samples that the keys name. kNowhere for a key without a
// sample, kAmbiguous for an id of several samples.
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
constexpr std::size_t kAmbiguous = kNowhere - 1;

class Places {
 public:
  Places(Key key, const DecidedStream& stream)
      : stream_(stream), numbered_(key == Key::sequence || stream.samples.empty()) {
    if (numbered_) return;
    for (std::size_t i = 0; i < stream.samples.size(); ++i) {
      const auto [place, fresh] = by_id_.emplace(stream.samples[i], i);
      if (!fresh) place->second = kAmbiguous;
    }
  }

  std::size_t of(const std::string& key) const {
    if (!numbered_) {
      const auto found = by_id_.find(key);
      return found == by_id_.end() ? kNowhere : found->second;
    }
    std::uint64_t number = 0;
    const char* const end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data(), end, number);
    // Only the usual form of a number: "7", but not "07" or "7 ".
    if (error != std::errc() || stop != end || (key.size() > 1 && key.front() == '0'))
      return kNowhere;
    return number >= stream_.first && number - stream_.first < stream_.count
               ? static_cast<std::size_t>(number - stream_.first)
               : kNowhere;
  }

 private:
  DecidedStream stream_;
  bool numbered_;  // keys are arrival numbers
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

// Puts the labels of a table at the places that their keys name.
Result<Truth> place(Truth rows, const LabelRows& table, const std::string& name,
                    const DecidedStream& stream) {
  const Places places(table.key, stream);
  Truth truth{std::vector<std::int64_t>(stream.count, kNoTruth), std::move(rows.class_names)};
  for (std::size_t row = 0; row < table.keys.size(); ++row) {
    const std::size_t place = places.of(table.keys[row]);
    const std::string what = fmt::format("{} '{}'", key_name(table.key), table.keys[row]);
    if (place == kNowhere) {
      return Error{ErrorCode::not_found,
                   fmt::format("{}: row {} is about {}, which is not among the {} decisions", name,
                               row, what, stream.count),
                   "check that decisions and truth belong to the same stream"};
    }
    if (place == kAmbiguous) {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: row {} is about {}, which stands for several decisions", name,
                               row, what),
                   "use the column sequence instead: it is different for every decision"};
    }
    std::int64_t& label = truth.labels[place];
    if (label != kNoTruth && label != rows.labels[row]) {
      return Error{
          ErrorCode::bad_value,
          fmt::format("{}: row {} gives {} another label than a row before", name, row, what),
          "a sample has one true class: remove one of the rows"};
    }
    label = rows.labels[row];
  }
  return truth;
}

Result<Truth> in_stream_order(Truth truth, const std::string& name, const DecidedStream& stream) {
  const std::size_t n = stream.count;
  if (truth.labels.size() == n) return truth;
  return Error{ErrorCode::bad_shape,
               fmt::format("{}: {} labels for {} decisions", name, truth.labels.size(), n),
               std::string(kTableHint)};
}

Result<Truth> from_rows(LabelRows rows, const std::string& name, const DecidedStream& stream) {
  Truth truth;
  if (rows.numbered) {
    PACO_TRY(check_ids(rows.numbers, name));
    truth = {std::move(rows.numbers), {stream.class_names.begin(), stream.class_names.end()}};
  } else {
    PACO_ASSIGN(truth, from_words(rows, name, stream));
  }
  if (rows.key != Key::row) return place(std::move(truth), rows, name, stream);
  return in_stream_order(std::move(truth), name, stream);
}

}  // namespace

Result<std::vector<std::string>> names_of_classes(std::vector<std::string> known,
                                                  const std::string& classes) {
  if (classes.empty()) return known;
  PACO_ASSIGN(auto names, read_class_names(classes));
  if (names.size() < known.size()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} names, but {} classes are known", classes, names.size(),
                             known.size()),
                 "one name a line: the known classes in their order, then the novel ones"};
  }
  return names;
}

Result<Truth> read_truth(const std::string& path, const DecidedStream& stream) {
  const MemberPath parts = split_member(path);
  PACO_ASSIGN(auto bytes, ByteStream::open(parts.path));
  PACO_ASSIGN(LabelRows rows, read_truth_rows(std::move(bytes), parts.member));
  return from_rows(std::move(rows), parts.path, stream);
}

Result<Truth> parse_truth(std::span<const std::byte> bytes, const std::string& name,
                          const DecidedStream& stream) {
  PACO_ASSIGN(LabelRows rows, read_truth_rows(ByteStream::from_bytes(bytes, name), ""));
  return from_rows(std::move(rows), name, stream);
}

}  // namespace paco::io
