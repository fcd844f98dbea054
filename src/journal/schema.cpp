#include "journal/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace paco::journal {
namespace {

// SQLite allows 2000 columns; a decision needs far fewer.
constexpr std::size_t kVerdicts = 4;

// Columns of `samples` and `decisions` that every method has: reserved names.
constexpr std::array<std::string_view, 18> kReserved = {
    "sequence", "event", "category",  "prototype", "runner_up", "verdict",
    "counted",  "score", "threshold", "key",       "sample",    "embedding",
    "chain",    "now",   "name",      "rowid",     "oid",       "_rowid_",
};

// The numbers of a decision have no declared type, because SQLite turns a -0.0 in a REAL column
// into 0.0. They are doubles, or NULL for NaN. The columns of the method are added to this text.
constexpr const char* kSamples = R"(CREATE TABLE samples( -- one row a decided sample
  sequence INTEGER PRIMARY KEY, -- 0, 1, 2, ... in the order of the stream
  event INTEGER NOT NULL, -- its number among samples and operations, from 0
  category INTEGER NOT NULL, -- as it was answered
  prototype INTEGER NOT NULL, -- what it was decided for
  runner_up INTEGER NOT NULL, -- category
  verdict INTEGER NOT NULL, -- the view decisions has the word
  counted INTEGER NOT NULL, -- 1: joined its prototype without entering a sum
  key TEXT, -- given by the sender, unique
  sample TEXT NOT NULL, -- as the input named it
  embedding INTEGER, -- XXH3 of its doubles; NULL: it came without one
  chain INTEGER NOT NULL, -- XXH3 of this row and the chain of the event before
  score, -- what was compared ...
  threshold -- ... with what; then the evidence of the method
)";

constexpr std::array<const char*, 14> kTables = {
    R"(CREATE TABLE settings( -- how the stream is decided; read-only but for what is kept
  name TEXT PRIMARY KEY,
  value
) WITHOUT ROWID)",
    R"(CREATE TABLE evidence( -- the method's columns of samples
  position INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  meaning TEXT NOT NULL,
  choices TEXT -- JSON list; then the column counts these words
))",
    R"(CREATE TABLE model( -- the model file, in parts
  part INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
))",
    R"(CREATE TABLE operations( -- what people changed
  event INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL, -- samples before it
  time, -- seconds since 1970
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  request TEXT NOT NULL, -- JSON
  outcome TEXT NOT NULL, -- JSON
  undoes INTEGER, -- event
  chain INTEGER NOT NULL
))",
    R"(CREATE TABLE category_rows( -- the view categories has them with their prototypes
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL, -- known or discovered
  now INTEGER NOT NULL, -- itself, or the category it forwards to
  retired INTEGER NOT NULL,
  born INTEGER NOT NULL, -- event
  checksum INTEGER NOT NULL -- XXH3 of this row, as below
))",
    R"(CREATE TABLE prototypes( -- who owns what samples are compared with
  id INTEGER PRIMARY KEY,
  category INTEGER NOT NULL,
  checksum INTEGER NOT NULL
))",
    R"(CREATE TABLE moved( -- samples that a person moved, and where they belong now
  sequence INTEGER PRIMARY KEY,
  prototype INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  checksum INTEGER NOT NULL
))",
    R"(CREATE TABLE embeddings( -- of runs of samples, as far as they are kept
  first_sequence INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  type TEXT NOT NULL, -- float16, float32 or float64, little-endian
  bytes BLOB NOT NULL -- count rows of numbers
))",
    R"(CREATE TABLE snapshots( -- states of the method, to start from
  event INTEGER PRIMARY KEY, -- events before it
  sequence INTEGER NOT NULL, -- samples before it
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  checksum INTEGER NOT NULL
))",
    R"(CREATE TABLE snapshot_parts( -- their bytes
  event INTEGER NOT NULL,
  part INTEGER NOT NULL, -- 0, 1, 2, ...
  bytes BLOB NOT NULL,
  PRIMARY KEY(event, part)
))",
    R"(CREATE TABLE extras( -- what a sample brought for people to see
  sequence INTEGER PRIMARY KEY, -- no decision depends on it
  attributes TEXT NOT NULL, -- a JSON object, or empty
  picture BLOB, -- a JPEG, PNG or WebP file
  checksum INTEGER NOT NULL
))",
    R"(CREATE TABLE sources( -- files that samples were read from, and how far
  identity INTEGER NOT NULL, -- XXH3 of its path, size and time of change
  first INTEGER NOT NULL, -- row at which reading began
  name TEXT NOT NULL, -- as it was called
  consumed INTEGER NOT NULL, -- rows from the beginning of the file to the last sample
  digest INTEGER NOT NULL, -- chain of the checksums of its samples' embeddings
  checksum INTEGER NOT NULL,
  PRIMARY KEY(identity, first)
))",
    R"(CREATE TABLE arrivals( -- when samples came, at most one row a second
  first_sequence INTEGER PRIMARY KEY, -- it and those up to the next row
  time INTEGER NOT NULL, -- seconds since 1970
  checksum INTEGER NOT NULL
))",
    R"(CREATE TABLE support_pictures( -- what known classes look like, for people
  category INTEGER NOT NULL,
  position INTEGER NOT NULL, -- 0, 1, 2, ...
  picture BLOB NOT NULL, -- a JPEG, PNG or WebP file
  checksum INTEGER NOT NULL,
  PRIMARY KEY(category, position)
))",
};

constexpr const char* kKeys =
    "CREATE UNIQUE INDEX sample_keys ON samples(key) WHERE key IS NOT NULL";

constexpr const char* kCategories = R"(CREATE VIEW categories AS
SELECT c.id, c.name, c.kind, c.now, c.retired, c.born, p.list AS prototypes
FROM category_rows AS c LEFT JOIN (
  SELECT category, group_concat(id) AS list
  FROM (SELECT id, category FROM prototypes ORDER BY category, id) GROUP BY category
) AS p ON p.category = c.id)";

// CASE column WHEN 0 THEN 'first' ... END
std::string words_of(const std::string& column, const std::vector<std::string>& words) {
  std::string sql = "CASE " + column;
  for (std::size_t i = 0; i < words.size(); ++i)
    sql += fmt::format(" WHEN {} THEN {}", i, quote_text(words[i]));
  return sql + " END";
}

std::string samples_table(const JournalSettings& settings) {
  std::string sql = kSamples;
  for (const JournalColumn& column : settings.evidence)
    sql += fmt::format("  , {}\n", quote_name(column.name));
  return sql + ")";
}

// `now` and `name` are those of the category that a sample belongs to now: the owner of the
// prototype that it was moved to, or that it was decided for if it was not moved.
std::string decisions_view(const JournalSettings& settings) {
  std::string sql = fmt::format(
      "CREATE VIEW decisions AS\n"
      "SELECT s.sequence, s.event, s.key, s.sample, {} AS verdict, s.category, n.id AS now,\n"
      "  n.name AS name, s.prototype, s.score, s.threshold, s.runner_up",
      words_of("s.verdict", settings.verdicts));
  for (const JournalColumn& column : settings.evidence) {
    const std::string name = quote_name(column.name);
    sql += column.is_choice
               ? fmt::format(",\n  {} AS {}", words_of("s." + name, column.choices), name)
               : fmt::format(",\n  s.{}", name);
  }
  return sql +
         "\nFROM samples AS s LEFT JOIN moved AS m ON m.sequence = s.sequence\n"
         "LEFT JOIN prototypes AS p ON p.id = coalesce(m.prototype, s.prototype)\n"
         "LEFT JOIN category_rows AS c ON c.id = s.category\n"
         "LEFT JOIN category_rows AS n ON n.id = coalesce(p.category, c.now)";
}

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Error unusable(const std::string& path, const std::string& what) {
  return Error{ErrorCode::bad_argument, fmt::format("{}: {}", path, what),
               "correct the description of the method"};
}

}  // namespace

std::vector<std::string> schema_of(const JournalSettings& settings) {
  std::vector<std::string> schema(kTables.begin(), kTables.end());
  schema.push_back(samples_table(settings));
  schema.emplace_back(kKeys);
  schema.emplace_back(kCategories);
  schema.push_back(decisions_view(settings));
  return schema;
}

std::string quote_name(std::string_view name) { return quoted(name, '"'); }
std::string quote_text(std::string_view text) { return quoted(text, '\''); }

Result<void> check_settings(const std::string& path, const JournalSettings& settings) {
  if (settings.dimension == 0) return unusable(path, "embeddings of dimension 0");
  if (settings.verdicts.empty() || settings.verdicts.size() > kVerdicts)
    return unusable(path, fmt::format("{} verdicts", settings.verdicts.size()));
  if (settings.evidence.size() > kMaxEvidence)
    return unusable(path, fmt::format("{} evidence columns", settings.evidence.size()));
  std::set<std::string> names;
  for (const JournalColumn& column : settings.evidence) {
    const std::string name = lower_case(column.name);  // SQL column names are case-insensitive
    if (name.empty() || name.find('\0') != std::string::npos)
      return unusable(path, "an evidence column without a name");
    if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end())
      return unusable(path, fmt::format("an evidence column is called '{}', like a column that "
                                        "every decision has",
                                        column.name));
    if (!names.insert(name).second)
      return unusable(path, fmt::format("two evidence columns are called '{}'", column.name));
    if (column.is_choice == column.choices.empty())
      return unusable(path,
                      fmt::format("evidence column '{}' is {} words to choose from", column.name,
                                  column.is_choice ? "a choice without" : "a number with"));
  }
  return {};
}

}  // namespace paco::journal
