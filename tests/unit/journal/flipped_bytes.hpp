// A journal with one byte changed, for as many bytes as there is time for. Such a change is noticed
// by opening or verifying, unless SQLite makes no use of the byte: then the content is the same.
#pragma once

#include <string>

#include "damaged_file.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::testing {

inline void flip_byte(const std::string& path, const std::string& good, const std::string& content,
                      std::size_t place, int bit) {
  std::string bytes = good;
  bytes[place] = static_cast<char>(bytes[place] ^ (1 << bit));
  write_bytes(path, bytes);
  core::NoProgress silent;
  const auto report = journal::verify_journal(path, silent, {});
  if (!report.ok() || !report->ok) return;
  auto journal = journal::Journal::open(path, journal::OpenMode::read, {});
  if (!journal.ok()) return;
  EXPECT_TRUE(content_of(*journal) == content) << "bit " << bit << " of byte " << place;
}

// About one in `stride` of the bytes that are not 0, and fewer of those that are.
inline void flip_through(std::uint64_t stride) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const std::string good = bytes_of(folder / "j");
  std::string content;
  {
    auto journal = journal::Journal::open(folder / "j", journal::OpenMode::read, {});
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    content = content_of(*journal);
  }
  const NoSync fast;
  core::Random random(1);
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (random.below(good[i] != 0 ? stride : stride * 40) == 0)
      flip_byte(folder / "j", good, content, i, static_cast<int>(random.below(8)));
  }
}

}  // namespace paco::testing
