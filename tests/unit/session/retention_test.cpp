// Journals that keep few embeddings: whenever their writer is killed, they open again, decide as if
// nothing had happened, and verify.
#include <gtest/gtest.h>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "journal/journal.hpp"
#include "paco/session.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::session {
namespace {

using testing::TemporaryFolder;

// The files of a journal as a kill leaves them, in another folder.
void copy_as_killed(const std::string& from, const std::string& to) {
  for (const char* ending : {"", "-wal", "-tail"})
    testing::write_bytes(to + ending, testing::bytes_of(from + ending));
}

Result<OperationOutcome> rename(Session& session, const std::string& name) {
  Operation operation;
  operation.kind = OperationKind::rename;
  operation.category = 0;
  operation.name = name;
  return session.apply(operation);
}

// Moves the newest sample, so that its embedding is needed.
Result<OperationOutcome> move(Session& session) {
  Operation operation;
  operation.kind = OperationKind::move;
  operation.samples = {session.samples() - 1};
  operation.category = kNoId;
  operation.name = "moved " + std::to_string(session.samples());
  return session.apply(operation);
}

void expect_verified(const std::string& path) {
  core::NoProgress silent;
  const auto report = journal::verify_journal(path, silent, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->ok) << report->problem;
}

struct Bounds {
  std::uint64_t embeddings, snapshot_samples;
};

class KilledWithFewEmbeddings : public ::testing::TestWithParam<Bounds> {};

TEST_P(KilledWithFewEmbeddings, OpensAgainWhereItWas) {
  const testing::SyntheticData data = testing::make_data({}, 8);
  const auto model = testing::calibrated(data.support_set());
  const TemporaryFolder folder;
  const auto [embeddings, snapshot_samples] = GetParam();
  JournalOptions options;
  options.embeddings = embeddings;
  options.snapshot_samples = snapshot_samples;
  options.durability = JournalOptions::Durability::relaxed;
  auto session = Session::create(folder / "0", model, "paco", {}, options);
  ASSERT_TRUE(session.ok()) << session.error().message;
  std::size_t row = 0;
  for (int kill = 1; kill <= 4; ++kill) {
    for (int group = 0; group < 9; ++group) {
      const std::size_t count = 3;
      std::vector<Decision> decisions(count);
      ASSERT_TRUE(session->decide(data.stream.view().slice(row, count), decisions).ok());
      row += count;
      if (group == 4) {
        ASSERT_TRUE(rename(*session, "name " + std::to_string(kill)).ok());
      }
      if (group == 6) {
        // Refused if a member of the same prototype has lost its embedding.
        const auto moved = move(*session);
        EXPECT_TRUE(moved.ok() || moved.error().code == ErrorCode::not_found);
      }
    }
    const std::string before = folder / std::to_string(kill - 1);
    const std::string after = folder / std::to_string(kill);
    copy_as_killed(before, after);
    expect_verified(after);
    if (kill % 2 == 0) {
      auto journal = journal::Journal::open(after, journal::OpenMode::write, {});
      ASSERT_TRUE(journal.ok()) << journal.error().message;
      journal::Retention few = journal->settings().retention;
      few.embeddings = std::min<std::uint64_t>(embeddings, 10);
      ASSERT_TRUE(journal->compact(few).ok());
    }
    const std::string digest = session->digest().value();
    session = Session::open(after, 1, options.durability);
    ASSERT_TRUE(session.ok()) << "kill " << kill << ": " << session.error().message;
    EXPECT_EQ(session->digest().value(), digest);
    EXPECT_EQ(session->samples(), row);
  }
  ASSERT_TRUE(session->close().ok());
  const auto journal = journal::JournalReader::open(folder / "4");
  ASSERT_TRUE(journal.ok());
}

INSTANTIATE_TEST_SUITE_P(Bounds, KilledWithFewEmbeddings,
                         ::testing::Values(Bounds{0, 5}, Bounds{0, 100'000}, Bounds{10, 5},
                                           Bounds{10, 40}, Bounds{60, 5}, Bounds{60, 100'000}),
                         [](const auto& bounds) {
                           return std::to_string(bounds.param.embeddings) + "_" +
                                  std::to_string(bounds.param.snapshot_samples);
                         });

TEST(Retention, KeepsNoneBeyondTheSnapshotIfNoneAreAskedFor) {
  const testing::SyntheticData data = testing::make_data({}, 8);
  const TemporaryFolder folder;
  JournalOptions options;
  options.embeddings = 0;
  auto session =
      Session::create(folder / "j", testing::calibrated(data.support_set()), "paco", {}, options);
  ASSERT_TRUE(session.ok());
  std::vector<Decision> decisions(30);
  ASSERT_TRUE(session->decide(data.stream.view().slice(0, 30), decisions).ok());
  EXPECT_EQ(journal::JournalReader::open(folder / "j")->info()->embeddings, 30U);
  ASSERT_TRUE(session->close().ok());
  EXPECT_EQ(journal::JournalReader::open(folder / "j")->info()->embeddings, 0U);
}

}  // namespace
}  // namespace paco::session
