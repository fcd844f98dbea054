// What another tool sees: the promised views, through plain SQLite.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::ElementsAre;
using namespace testing;

// All rows of a query, values separated by "|".
std::vector<std::string> ask(const std::string& path, const std::string& sql) {
  std::vector<std::string> rows;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  char* message = nullptr;
  const auto add = [](void* out, int count, char** values, char**) {
    std::string row;
    for (int i = 0; i < count; ++i)
      row += (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "NULL" : values[i]);
    static_cast<std::vector<std::string>*>(out)->push_back(row);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), add, &rows, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(database);
  return rows;
}

TEST(JournalViews, DecisionsHaveThePromisedColumns) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  EXPECT_THAT(ask(folder / "j", "SELECT name FROM pragma_table_info('decisions')"),
              ElementsAre("sequence", "event", "key", "sample", "verdict", "category", "now",
                          "name", "prototype", "score", "threshold", "runner_up", "branch",
                          "margin", "Top cosine"));
  EXPECT_THAT(ask(folder / "j", "SELECT name FROM pragma_table_info('categories')"),
              ElementsAre("id", "name", "kind", "now", "retired", "born", "prototypes"));
}

TEST(JournalViews, DecisionsShowWordsAndWhereASampleBelongsNow) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const MadeGroup given(MadeStream(1), 0, 24);
  const std::vector<std::string> words = {"known", "existing", "created"};
  const std::vector<std::string> branches = {"known_only", "it's \"new\""};
  const std::vector<std::int64_t> owner = {0, 1, 2, 3, 1, 2, 2};  // of the prototypes
  const auto rows = ask(folder / "j",
                        "SELECT sequence, verdict, branch, category, now, name, prototype, key "
                        "FROM decisions ORDER BY sequence");
  ASSERT_EQ(rows.size(), 24U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SampleRow& row = given.rows()[i];
    const std::int64_t where = i == 3 ? 2 : i == 5 ? 1 : row.prototype;
    const std::string now = std::to_string(owner[static_cast<std::size_t>(where)]);
    EXPECT_EQ(rows[i], std::to_string(i) + "|" + words[static_cast<std::size_t>(row.verdict)] +
                           "|" + branches[static_cast<std::size_t>(row.evidence[0])] + "|" +
                           std::to_string(row.category) + "|" + now + "|category " + now + "|" +
                           std::to_string(row.prototype) + "|" +
                           (row.key.empty() ? "NULL" : row.key));
  }
}

TEST(JournalViews, CategoriesShowTheirPrototypes) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  EXPECT_THAT(ask(folder / "j", "SELECT id, name, kind, now, prototypes FROM categories"),
              ElementsAre("0|category 0|known|0|0", "1|category 1|known|1|1,4",
                          "2|category 2|discovered|2|2,5,6", "3|category 3|discovered|3|3"));
}

TEST(JournalViews, AnotherToolReadsWhileItIsWritten) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, {});
  ASSERT_TRUE(journal.ok());
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(journal->append(MadeGroup(stream, i * 10, 10).rows(), {}).ok());
    EXPECT_THAT(ask(folder / "j", "SELECT count(*) FROM decisions"),
                ElementsAre(std::to_string(i * 10 + 10)));
  }
}

TEST(JournalViews, AJournalInAFolderThatCannotBeWrittenIsRead) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  ASSERT_EQ(::chmod((folder / "j").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // For the superuser every folder can be written.
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(9);
    auto journal = Journal::open(folder / "j", OpenMode::read, {});
    if (!journal.ok() || journal->tail().value().samples != 24) ::_exit(1);
    const auto refused = Journal::open(folder / "j", OpenMode::write, {});
    if (refused.ok() || refused.error().code != ErrorCode::io) ::_exit(2);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::chmod(folder.path().c_str(), 0755);
}

}  // namespace
}  // namespace paco::journal
