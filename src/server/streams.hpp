// The streams of a folder by name: one journal each, NAME.journal. Finds existing journals and
// those added later, creates new ones, cancels those that are not ready, and takes others out of
// service: archives, renames or removes them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/log.hpp"
#include "server/stream.hpp"
#include "server/support_sets.hpp"

namespace paco::server {

// 1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, digit or '_'. So a name
// cannot be a path.
bool is_stream_name(std::string_view name);

struct NewStream {
  std::string method;  // empty: that of the model
  JournalOptions journal;
};

class Streams {
 public:
  // `own`: this server owns the streams of the folder; otherwise they are made elsewhere and added.
  Streams(std::string folder, JournalOptions::Durability durability, bool own,
          std::shared_ptr<Log> log)
      : folder_(std::move(folder)), durability_(durability), own_(own), log_(std::move(log)) {}

  // Starts opening every journal of the folder if this server owns them, and looks for new ones
  // every two seconds.
  Result<void> open();
  ~Streams();

  void add(std::shared_ptr<Stream> stream);
  std::shared_ptr<Stream> find(const std::string& name) const;
  std::vector<std::shared_ptr<Stream>> all() const;  // sorted by name

  struct Made {
    std::shared_ptr<Stream> stream;
    bool is_new = true;  // false: the stream existed, with the same model
  };
  // ErrorCode::mismatch if the name is in use, or if streams are made elsewhere.
  Result<Made> create(const std::string& name, std::shared_ptr<const Model> model,
                      const NewStream& settings);
  Result<std::shared_ptr<Stream>> calibrate(const std::string& name,
                                            std::shared_ptr<const Support> support,
                                            const CalibrationOptions& options,
                                            const NewStream& settings);
  // ErrorCode::mismatch if the stream is ready, not_found if it does not exist.
  Result<void> give_up(const std::string& name);
  // For a stream that is ready or failed; the caller must not hold it. Clients that follow its
  // events are disconnected. ErrorCode::mismatch if something else still uses it after some
  // seconds.
  Result<void> remove(const std::string& name);
  // Moves its journal to FOLDER/archive, with the name and the time; returns the new path.
  Result<std::string> archive(const std::string& name, const std::string& time);
  Result<void> rename(const std::string& name, const std::string& to);
  void close();
  // A path for a copy of a journal. Copies left behind are removed when the folder is opened again.
  std::string copy_path(const std::string& name);

 private:
  // The state of a journal's file at the last check. A file that changes is still being written.
  struct Seen {
    std::int64_t size = -1, changed = -1;
    bool operator==(const Seen&) const = default;
  };
  Result<void> take_out(const std::string& name);
  void begin(const std::string& name);
  void look_again();
  std::string path_of(const std::string& name) const;
  Result<void> may_make() const;
  // Logs the outcome of opening or calibrating in the background.
  std::function<void(const Stream&)> teller() const;

  const std::string folder_;
  const JournalOptions::Durability durability_;
  const bool own_;
  const std::shared_ptr<Log> log_;  // null: no log
  std::atomic<std::uint64_t> copies_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Stream>> streams_;
  std::set<std::string> leaving_;        // names in use until their files are gone
  std::map<std::string, Seen> seen_;     // of journals not in service
  std::map<std::string, Seen> refused_;  // state when the file could not be opened
  std::jthread looker_;                  // destroyed before all members above
};

}  // namespace paco::server
